import { expect, test } from '@jest/globals';
import { deleteOldPositions } from '../../src/telematics/positions/retention.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { admin, app, archive, filesOf, openArchives, settings, sql, tenant } from './archives-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openArchives();

test('positions of a company that wants them archived leave with their file, those of others without one', async () => {
  const other = await makeTenant(app);
  const now = Date.now();
  const at = (days: number) => new Date(now - days * 86_400_000);
  const drivers: { token: string }[] = [];
  const kept = async (of: Tenant) =>
    (await sql<{ at: string }>('select occurred_at as at from location_history where company_id = ?', [of.company.id])).length;
  for (const one of [tenant, other]) {
    const { user, token } = await one.person({ roles: ['driver'] });
    drivers.push({ token });
    for (const days of [100, 99, 2]) await onDuty(one, user.id, { startedAt: at(days + 0.1), endedAt: at(days - 0.1) });
    const locations = [100, 99, 2].map((days) => ({ occurred_at: at(days).toISOString(), lat: 30.25, lon: -97.75, job_id: null }));
    expect((await one.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations }, token)).status).toBe(204);
    await settings(one, { positionRetentionDays: 30, archivePositions: one === tenant });
  }
  await deleteOldPositions(app.productOrm.em.fork(), (error) => {
    throw error;
  });
  expect([await kept(tenant), await kept(other)]).toEqual([3, 1]);
  // Two processes at once write no file twice.
  expect((await Promise.all([archive(), archive()])).flat()).toEqual([]);
  expect(await archive()).toEqual([]);
  expect(await kept(tenant)).toBe(1);
  // Every list says what it lacks, by its own name.
  const { body } = await tenant.app.graphql(
    '{ mine: myLocationHistories { nodes { id } } importedRecords { nodes { id } } }',
    {},
    { token: drivers[0]!.token },
  );
  expect([body.extensions.archived.map(({ path }: Json) => path), body.extensions.archived[0].in]).toEqual([
    [['mine']],
    `archives/${tenant.company.id}/location_history/`,
  ]);
  const files = filesOf('location_history');
  expect(files.flatMap(({ lines }) => lines.map(({ occurred_at }) => Date.parse(occurred_at))).sort()).toEqual(
    [100, 99].map((days) => at(days).getTime()).map((ms) => expect.closeTo(ms, -5)),
  );
  expect(() => filesOf('location_history', other.company.id)).toThrow('ENOENT');

  // Somebody whom the office has had forgotten is in no file any more; a damaged file keeps no other from being written anew.
  const [damaged] = await sql<{ id: string; key: string }>(
    `insert into archive_piece (company_id, table_name, period, part, state, key, writer, begun_at, row_count, bytes, sha256, checksum)
     values (?, 'location_history', '2020-01-01', 1, 'removed', ?, gen_random_uuid(), '2020-01-01', 1, 1, '', 0) returning id, key`,
    [tenant.company.id, `archives/${tenant.company.id}/location_history/0.ndjson.gz`],
  );
  const { errors } = await tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id: files[0]!.lines[0].user_id });
  expect(errors).toBeUndefined();
  for (const _ of [1, 2]) expect((await archive()).map(({ message }) => message)).toEqual([expect.stringContaining(damaged!.key)]);
  await sql('delete from archive_piece where id = ?', [damaged!.id]);
  expect(filesOf('location_history').map(({ manifest }) => manifest.rows)).toEqual(files.map(() => 0));
  expect(filesOf('location_history').map(({ name }) => name)).not.toEqual(files.map(({ name }) => name));
  expect(await archive()).toEqual([]);
  // Its files would be written anew in all rounds of the next ten minutes, those of other tests too.
  await sql('update app_user set positions_forgotten_at = null');
});

test('a driver who was forgotten is in no file any more either, if he was merged since, nor is whom he was one with by then', async () => {
  const at = new Date(Date.now() - 1_200 * 86_400_000).toISOString();
  await settings(tenant, { archivePositions: true });
  const people: string[] = [];
  for (let n = 0; n < 6; n++) people.push((await tenant.person({ roles: ['driver'] })).user.id);
  const [first, driver, stays, other, gone, later] = people as [string, string, string, string, string, string];
  await sql('select keep_position_month(?::timestamptz)', [at]);
  const position = (company: string, user: string) =>
    sql(
      `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon)
       values (gen_random_uuid(), ?, ?, 'phone', ?, 30, -97)`,
      [company, user, at],
    );
  for (const user of people) await position(tenant.company.id, user);
  // A sandbox has no archives, whatever it says, and its positions keep no month.
  const { id: sandbox } = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' }, admin);
  await sql('insert into company_settings (id, company_id, archive_positions) values (?, ?, true)', [sandbox, sandbox]);
  await position(sandbox, sandbox);
  expect(await archive()).toEqual([]);
  expect(
    await sql(`select to_regclass('location_history_' || to_char(?::timestamptz at time zone 'UTC', 'YYYY_MM')) as month`, [at]),
  ).toEqual([{ month: null }]);
  const drivers = () => filesOf('location_history').flatMap(({ lines }) => lines.map(({ user_id }) => user_id));
  expect(drivers().sort()).toEqual(people.toSorted());

  const merge = (kept: string, former: string) => tenant.must('PUT', tenant.path(`/users/${kept}/merge`), { other_ids: [former] }, admin);
  await merge(driver, first);
  for (const id of [driver, gone])
    expect((await tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id })).errors).toBeUndefined();
  await merge(stays, driver);
  // Nobody had this one forgotten, and the merge may be undone.
  await merge(gone, later);
  expect(await archive()).toEqual([]);
  expect(drivers().sort()).toEqual([stays, other, later].sort());
  await sql('update app_user set positions_forgotten_at = null');
});

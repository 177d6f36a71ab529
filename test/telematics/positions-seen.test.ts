import { expect, test } from '@jest/globals';
import { ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { ago, app, at, duty, followed, hiredJob, last, middle, owner } from './hired-truck.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('the newest position of each job under way is for the companies of the job, its telephone only for the own one', async () => {
  const { id, token, go, send } = await hiredJob();
  await duty(token, 'on_duty', ago(30));
  await send([{ ...ago(25), lat: 30.1, lon: -97.5, job_id: id, accuracy: 8 }]);
  const latest = async (company: StaffedTenant, query = '', as?: string) =>
    (await company.must('GET', company.path(`/location_histories/latest${query}`), undefined, as)).filter((one: Json) => one.job_id === id);
  expect(await latest(owner)).toEqual([]);
  await go('enroute', ago(20));
  await app.orm.em.execute('update job set job_start_at = now() where id = ?', [id]);
  // A telephone that names no job is under way with the one that it hauls.
  await send(
    [10, 5].map((minutes) => ({ ...ago(minutes), lat: 30.2, lon: -97.5 - minutes / 100, job_id: minutes === 5 ? null : id, accuracy: 8 })),
  );
  const [there] = await latest(owner);
  expect(there).toMatchObject({ lat: '30.2', lon: '-97.55', device_id: null, accuracy: null, job_id: id, load_state: 'to_pickup' });
  expect(there.driver.id).toBeDefined();
  // An id is the same in capitals.
  const capitals = await owner.must('GET', `/v1/companies/${owner.company.id.toUpperCase()}/location_histories/latest`);
  expect(capitals.filter((one: Json) => one.job_id === id)).toEqual([there]);
  expect(await latest(last)).toEqual([expect.objectContaining({ id: there.id, device_id: 'phone', accuracy: '8' })]);
  const { order } = await owner.must('GET', `/v1/jobs/${id}`);
  expect(there.order_id).toBe(order.order_id);
  for (const filter of [`order_id]=${order.id}`, `order_id]=${order.order_id}`, `job_id]=${id}`])
    expect((await latest(owner, `?filter[${filter}`)).length).toBe(1);
  expect(await latest(owner, `?filter[job_id]=${order.id}`)).toEqual([]);
  expect(await latest(owner, '?filter[order_id]=987654321')).toEqual([]);
  // What can be neither the id nor the number of an order names its field, whoever asks.
  for (const asking of [owner.dispatcher.token, (await owner.person({ roles: ['biller'] })).token]) {
    const wrong = await owner.http('GET', owner.path('/location_histories/latest?filter[order_id]=abc'), undefined, asking);
    expect([wrong.status, wrong.body.error.errors]).toEqual([
      422,
      [{ model: 'LocationHistory', field: 'filter[order_id]', message: 'is neither the id nor the number of an order' }],
    ]);
  }
  expect((await latest(last, '', token)).length).toBe(1);
  expect(await latest(last, '', (await last.person({ roles: ['driver'] })).token)).toEqual([]);
  for (const event of [...ONE_LOAD.slice(1), 'complete']) await go(event);
  expect(await latest(owner)).toEqual([]);
});

test('A7: who reads where somebody else was is in the audit log, also as a sheet or as lines', async () => {
  const { id, token, go, send } = await hiredJob();
  const day = await duty(token, 'on_duty', ago(30));
  const driver = (await last.must('GET', '/v1/users/me', undefined, token)).id;
  await go('enroute', ago(20));
  await app.orm.em.execute('update job set job_start_at = now() where id = ?', [id]);
  await send(Array.from({ length: 8 }, (_, i) => ({ ...ago(19 - i), lat: 30, lon: -97.5 - i / 100, job_id: id, accuracy: 8 })));
  const admin = await last.person({ roles: ['company_admin'] });
  const noted = (of: StaffedTenant = last) =>
    app.orm.em.execute<Json[]>(
      `select created_by_id as by, object_changes as of from audit_entry where event = 'read' and company_id = ? and subject_type = 'User' and subject_id = ?
       order by created_at, id`,
      [of.company.id, driver],
    );
  const ofPerson = last.path(`/users/${driver}/location_histories`);
  const ask = (path: string, accept: string, as = admin.token) => app.http('GET', path, { token: as, headers: { Accept: accept } });

  // A person who was there reads it unnoticed, and a refused request is no reading.
  for (const path of [`/driver_days/${day.id}/location_histories`, `/jobs/${id}/location_histories`])
    expect((await last.must('GET', last.path(path), undefined, token)).length).toBe(8);
  expect((await last.http('GET', ofPerson, undefined, (await last.person({ roles: ['biller'] })).token)).status).toBe(403);
  expect((await last.http('GET', ofPerson, undefined, token)).status).toBe(403);
  expect((await owner.http('GET', owner.path(`/users/${driver}/location_histories`))).status).toBe(404);
  expect((await ask(`${ofPerson}?start_at=yesterday`, 'application/json')).status).toBe(422);
  expect([await noted(), await noted(owner)]).toEqual([[], []]);

  expect((await ask(`${ofPerson}?page[limit]=5`, 'application/json')).body.data.length).toBe(5);
  const lines = String((await ask(`${ofPerson}?start_at=${at(15)}`, 'application/x-ndjson')).body).trim();
  expect(lines.split('\n').map((line) => JSON.parse(line).occurred_at)).toEqual([15, 14, 13, 12].map(at));
  for (let times = 0; times < 2; times++)
    expect(
      String((await ask(ofPerson, 'text/csv')).body)
        .trim()
        .split('\n').length,
    ).toBe(9);
  await last.dispatcher.must('GET', last.path(`/driver_days/${day.id}/location_histories`));
  await owner.must('GET', `/v1/jobs/${id}/location_histories`);
  // Whoever asks where the truck of one job is asks where its driver is; who asks for all does not.
  const newest = async (of: StaffedTenant, query: string, as = of.dispatcher.token) =>
    (await of.must('GET', of.path(`/location_histories/latest${query}`), undefined, as)).map(({ job_id }: Json) => job_id);
  for (const times of [1, 2]) expect([times, await newest(last, `?filter[job_id]=${id}`)]).toEqual([times, [id]]);
  expect([await newest(last, `?filter[job_id]=${id}`, token), await newest(owner, `?filter[job_id]=${id}`)]).toEqual([[id], [id]]);
  expect([await newest(middle, `?filter[job_id]=${day.id}`), await newest(owner, '')]).toEqual([[], expect.arrayContaining([id])]);
  const [read, exported] = [
    [null, 'read'],
    [null, 'exported'],
  ];
  expect(await noted()).toEqual([
    { by: admin.user.id, of: { positions: read } },
    { by: admin.user.id, of: { positions: exported, start_at: [null, at(15)] } },
    // The second sheet within the hour is not noted again.
    { by: admin.user.id, of: { positions: exported } },
    { by: last.dispatcher.user.id, of: { positions: read, driver_day_id: [null, day.id] } },
    { by: last.dispatcher.user.id, of: { positions: read, job_id: [null, id] } },
  ]);
  expect(await noted(owner)).toEqual(
    [null, owner.dispatcher.user.id].map((by) => ({ by: by ?? expect.any(String), of: { positions: read, job_id: [null, id] } })),
  );
  // The administrators read it in their log.
  const log = await admin.must('GET', `/v1/audit_entries?filter[subject_id]=${driver}&filter[events][]=read`);
  expect(log.length).toBe(5);
  await duty(token, 'off_duty', {});
});

test('the positions of a person are forgotten, with a row of the audit log, and figures stay', async () => {
  const { id, token, go, send, complete } = await hiredJob();
  const day = await duty(token, 'on_duty', ago(60));
  const times = [50, 45, 40, 35, 30, 25, 20];
  for (const [i, event] of ONE_LOAD.entries()) await go(event, ago(times[i]!));
  await complete(20);
  const positions = Array.from({ length: 30 }, (_, i) => ({ ...ago(50 - i), lat: 30 + i * 0.005, lon: -97.5, job_id: id, accuracy: 8 }));
  await send(positions);
  await followed();
  const figures = async () => {
    const { driver: _whoseTelephoneIsConnected, ...ofDay } = await last.must('GET', `/v1/driver_days/${day.id}`);
    return [await last.must('GET', `/v1/jobs/${id}/summary`), ofDay];
  };
  const before = await figures();
  expect(before[0]).toMatchObject({ gps_total_pings: 30, has_gps_data: true });

  const driver = (await last.must('GET', '/v1/users/me', undefined, token)).id;
  const forget = (tenant: StaffedTenant, as?: string) => tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id: driver }, as);
  const codeOf = ({ errors }: Json) => errors[0].extensions.code;
  expect(codeOf(await forget(owner))).toBe('object_not_found');
  expect(codeOf(await forget(last, token))).toBe('forbidden');
  const admin = (await last.person({ roles: ['company_admin'] })).token;
  expect((await forget(last, admin)).data.forgetPositions).toBe(30);
  expect(await last.must('GET', last.path(`/jobs/${id}/location_histories`))).toEqual([]);
  expect((await forget(last, admin)).data.forgetPositions).toBe(0);
  const rows = await app.orm.em.execute<object[]>(
    `select created_by_type as by, object_changes -> 'positions' as positions from audit_entry
     where subject_id = ? and event = 'update' and object_changes -> 'positions' is not null order by created_at`,
    [driver],
  );
  expect(rows).toEqual([
    { by: 'User', positions: [30, 0] },
    { by: 'User', positions: [0, 0] },
  ]);

  // A position that the telephone sends again stays forgotten, and later ones shorten no figure.
  await send(positions);
  expect(await last.must('GET', last.path(`/jobs/${id}/location_histories`))).toEqual([]);
  await send([{ occurred_at: new Date().toISOString(), lat: 31, lon: -97.5, job_id: null, accuracy: 8 }]);
  await followed();
  expect(await figures()).toEqual(before);
  const counted = await app.orm.em.execute<object[]>('select from location_history where user_id = ?', [driver]);
  expect(counted.length).toBe(1);
});

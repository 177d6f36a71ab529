import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { compileDocuments } from '../../../src/platform/http/rest/compile.ts';
import { isList } from '../../../src/platform/http/rest/exports/formats.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { type Call, graphqlCells, restCells, type Target } from '../../helpers/isolation/matrix.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { makeIds } from '../../helpers/walk.ts';

const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const schema = schemaOfRooms();
const cells = [...graphqlCells(schema), ...restCells(compileDocuments(schema, 'schema/rest', true))];

let app: TestApp;
let target: Target;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  const tenant = await makeTenant(app);
  target = { tenant, ids: await makeIds(tenant) };
  const office = await makeTenant(app);
  const platform = await office.person({ roles: ['platform_admin'] });
  // Somebody who may read everything, as people of the office and as drivers do.
  const person = await tenant.person({ roles: ['company_admin', 'driver'] });
  await tenant.must('PUT', '/v1/users/me/driver_state/on_duty', {}, person.token);
  token = (await tenant.must('POST', `/v1/users/${person.user.id}/impersonations`, undefined, platform.token)).session_jwt;
});
afterAll(() => app.close());

interface Row {
  subject_id: string;
  subject_type: string;
  object_changes: object;
}
const rowsOf = (answer: Answer): Promise<Row[]> =>
  app.orm.em
    .fork()
    .getConnection()
    .execute("select subject_type, subject_id, object_changes from audit_entry where event = 'read' and request_id = ?", [
      answer.headers.get('x-request-id'),
    ]);
const ask = ({ method, path, body }: Call, headers = {}): Promise<Answer> => app.http(method, path, { body, token, headers });

test('every query of both interfaces under impersonation leaves a row that names what was read', async () => {
  const reported: string[] = [];
  let answered = 0;
  for (const call of cells.map((make) => make(target)).filter(({ writes }) => !writes)) {
    const answer = await ask(call);
    if (answer.status >= 400 || answer.body?.errors) {
      reported.push(`${call.name}: not answered: ${JSON.stringify(answer.body).slice(0, 200)}`);
      continue;
    }
    answered++;
    const rows = await rowsOf(answer);
    const said = JSON.stringify(rows);
    // Of the records that are asked for by id, one of the rows names one. The invoice of a job or a day is named itself.
    if (
      /^(job(Receivable|Payable)|driverDay(Payables?|Receivables))$/.test(call.root) &&
      rows.some(({ subject_type: type }) => type === 'Invoice')
    )
      continue;
    const ids = JSON.stringify([call.path, (call.body as { variables?: object } | undefined)?.variables]).match(UUIDS) ?? [];
    if (rows.length === 0) reported.push(`${call.name}: no row`);
    else if (ids.length > 0 && !ids.some((id) => said.includes(id))) reported.push(`${call.name}: ${said}`);
  }
  expect(reported).toEqual([]);
  expect(answered).toBeGreaterThan(300);
}, 300_000);

test('a field that runs statements of its own is logged with its type and arguments', async () => {
  const { order, job } = target.ids;
  const query =
    'query($id: ID!) { one: jobTimeline(jobId: $id) { __typename } myPermissions { name } jobEvents(jobId: $id) { nodes { id } } }';
  const answer = await app.graphql(query, { id: job }, { token });
  expect(answer.body.errors).toBeUndefined();
  const rows = await rowsOf(answer);
  expect(rows.map(({ object_changes }) => object_changes)).toEqual(
    expect.arrayContaining([
      { field: [null, 'jobTimeline'], job_id: [null, job] },
      { field: [null, 'myPermissions'] },
      // Of a list the planner writes which one it is.
      { list: [null, 'job'], job_id: [null, job] },
    ]),
  );
  expect(rows).toHaveLength(3);
  // The planner writes down its reads itself, once.
  const planned = await rowsOf(await app.http('GET', `/v1/orders/${order}`, { token }));
  expect(planned).toEqual([{ subject_type: 'Order', subject_id: order, object_changes: {} }]);
});

test('without the row such a field returns nothing', async () => {
  const run = (sql: string) => app.orm.em.fork().getConnection().execute(sql);
  await run(`create function refuse_figures() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`);
  await run(`create trigger refuse_figures before insert on audit_entry for each row
    when (new.event = 'read' and new.object_changes::text like '%importStatus%') execute function refuse_figures()`);
  const answer = await app.http('GET', '/ingest/status', { token });
  await run('drop trigger refuse_figures on audit_entry');
  await run('drop function refuse_figures()');
  expect([answer.status, answer.body.data]).toEqual([500, undefined]);
  expect((await app.http('GET', '/ingest/status', { token })).status).toBe(200);
});

test('every list of REST is exported with the records of its page, and leaves a row too', async () => {
  const exported: string[] = [];
  const calls = restCells(compileDocuments(schema, 'schema/rest', true).filter(isList)).map((make) => make(target));
  for (const call of calls) {
    const page = await ask(call);
    const [lines, sheet] = [await ask(call, { Accept: 'application/x-ndjson' }), await ask(call, { Accept: 'text/csv' })];
    expect([call.name, lines.status, sheet.status]).toEqual([call.name, page.status, page.status]);
    if (page.status !== 200) continue;
    const unsigned = (text: string) => text.replace(/"[^"]*[?&]signature=[^"]*"/g, '""');
    const shown = page.body.data.map((record: unknown) => unsigned(JSON.stringify(record)));
    const records = String(lines.body ?? '')
      .split('\n')
      .filter(Boolean);
    // These requests are in the audit log themselves, and the clock of a sandbox goes on.
    if (!/audit_entries|sandboxes/.test(call.path))
      expect([call.name, records.slice(0, shown.length).map(unsigned)]).toEqual([call.name, shown]);
    expect([call.name, parse(sheet.body, { bom: true }).length > 0]).toEqual([call.name, true]);
    expect([call.name, (await rowsOf(lines)).length, (await rowsOf(sheet)).length]).toEqual([call.name, 1, 1]);
    if (records.length > 0) exported.push(call.name);
  }
  expect(exported.length).toBeGreaterThan(60);
});

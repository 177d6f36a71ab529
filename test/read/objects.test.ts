import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FileAttachment } from '../../src/files/file-attachment.entity.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { attachmentFields, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { type Json, sqlOf } from './crowded-tenant.ts';

let app: TestApp;
let tenant: Tenant;
let sql: ReturnType<typeof sqlOf>;
let order: Json;
let job: Json;
let load: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  sql = sqlOf(app);
  order = await makeOrder(tenant);
  [job] = await sql('select id, job_id from job where order_id = ?', [order.id]);
  [load] = await sql('select id, load_id from load where job_id = ?', [job.id]);
});
afterAll(() => app.close());

async function ask(query: string, variables: Record<string, unknown> = {}, token?: string): Promise<Json> {
  const { data, errors } = await tenant.gql(query, variables, token);
  expect(errors).toBeUndefined();
  return data;
}
const attach = async (fileAttachableId: string): Promise<string> =>
  (await tenant.save(FileAttachment, { ...attachmentFields(tenant), fileAttachableId })).id;
const ATTACHMENT = `query ($id: ID!) { fileAttachment(id: $id) { fileAttachable { __typename id ... on Order { orderId account { name } } ... on Job { jobId } } } }`;

test('next to an id is its record, of one type or of several', async () => {
  await sql('update job_event set load_id = ? where job_id = ?', [load.id, job.id]);
  const { jobEvents } = await ask(
    'query ($id: ID!) { jobEvents(jobId: $id) { nodes { load { id loadId job { id } } again: load { state } } } }',
    {
      id: job.id,
    },
  );
  expect(jobEvents.nodes.length).toBeGreaterThan(0);
  for (const event of jobEvents.nodes)
    expect(event).toEqual({ load: { id: load.id, loadId: load.load_id, job: { id: job.id } }, again: { state: 'created' } });
  const { fileAttachment } = await ask(ATTACHMENT, { id: await attach(order.id) });
  expect(fileAttachment.fileAttachable).toEqual({
    __typename: 'Order',
    id: order.id,
    orderId: order.order_id,
    account: { name: expect.any(String) },
  });
  const { auditEntries } = await ask(`{ auditEntries(first: 100) { nodes { subjectType company { id } subject { __typename id } } } }`);
  const subjects = auditEntries.nodes.filter(({ subjectType }: Json) => ['Order', 'Job', 'Load'].includes(subjectType));
  expect(subjects.length).toBeGreaterThan(0);
  for (const { subjectType, subject, company } of subjects)
    expect([subject.__typename, company.id]).toEqual([subjectType, tenant.company.id]);
});

test('objects take as many statements for one row as for many', async () => {
  const statements = async (first: number) => {
    const query = 'query ($n: Int!) { auditEntries(first: $n) { nodes { company { id } subject { id ... on Order { state } } } } }';
    const counted = await app.countStatements(() => ask(query, { n: first }));
    return counted.statements.length;
  };
  for (let n = 0; n < 8; n++) await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: `Note ${n}` });
  await statements(2);
  expect(await statements(8)).toBe(await statements(2));
  const events = async (id: string) => {
    const query = 'query ($id: ID!) { jobEvents(jobId: $id) { nodes { load { id } } } }';
    return (await app.countStatements(() => ask(query, { id }))).statements.length;
  };
  await events(job.id);
  const one = await events(job.id);
  await sql(
    `insert into job_event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
     from job_event e, generate_series(1, 20) where e.job_id = ?`,
    [job.id],
  );
  expect(await events(job.id)).toBe(one);
});

test('an object is null where the viewer may not see the record, though the id is read', async () => {
  const other = await makeTenant(app);
  const foreign = await makeOrder(other);
  const [foreignLoad] = await sql('select id from load where order_id = ?', [foreign.id]);
  await sql('update job_event set load_id = ? where job_id = ?', [foreignLoad!.id, job.id]);
  const { jobEvents } = await ask('query ($id: ID!) { jobEvents(jobId: $id) { nodes { loadId load { id } } } }', { id: job.id });
  for (const event of jobEvents.nodes) expect(event).toEqual({ loadId: foreignLoad!.id, load: null });
  for (const id of [foreign.id, other.company.id, other.account.id])
    expect((await ask(ATTACHMENT, { id: await attach(id) })).fileAttachment).toEqual({ fileAttachable: null });
});

test('an object needs the permission of the field that finds its type', async () => {
  const em = app.orm.em.fork();
  const { client } = makeMachineClient(em, tenant.company, { name: 'Sender', permissions: ['manage_machine_clients'] });
  await em.flush();
  const id = await attach(client.id);
  const administrator = await tenant.administrator();
  expect((await ask(ATTACHMENT, { id }, administrator)).fileAttachment).toEqual({
    fileAttachable: { __typename: 'M2MClient', id: client.id },
  });
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await ask(ATTACHMENT, { id }, token)).fileAttachment).toEqual({ fileAttachable: null });
});

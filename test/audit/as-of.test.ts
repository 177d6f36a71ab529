import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { approveLoads, hauled, invoiceOf } from '../billing/books.ts';
import { jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, plannedOrder, readyJob } from '../helpers/staffed-tenant.ts';
import { asOf, books, messagesOf, moment, now, ownOf } from './past.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };

const INVOICE = `query ($id: ID!, $asOf: DateTime) { invoice(id: $id, asOf: $asOf) {
  id state side currency serviceDate rateValue rateType totalAmount invoiceLineItemsTotalAmount taxTotalAmount approved explain stateEvents blockers byHand billingApprovedAt } }`;

/** Reads records at moments between steps, and again afterwards as of these moments. */
function recorder(token: string) {
  const seen: { path: string; at: string; body: Json }[] = [];
  const read = async (path: string, asOf?: string): Promise<Json> => {
    if (path.startsWith('invoice:')) {
      const { body } = await books.app.graphql(INVOICE, { id: path.slice(8), asOf }, { token });
      return { status: body.errors ? 422 : 200, body: body.data?.invoice ?? body };
    }
    const { status, body } = await books.app.http('GET', `${path}${asOf ? `?as_of=${encodeURIComponent(asOf)}` : ''}`, { token });
    return { status, body: status === 200 ? body.data : body };
  };
  return {
    read,
    async look(...paths: string[]) {
      await books.app.settled();
      // The log has the beginning of a transaction, to the millisecond.
      await sleep(5);
      for (const path of paths) seen.push({ path, at: '', body: ownOf((await read(path)).body) });
      const at = await now();
      for (const one of seen) one.at ||= at;
      await sleep(5);
    },
    seen,
  };
}

test('a record is answered as it was, whatever has been done to it since', async () => {
  const at = await makeStaffedTenant(books.app, { timeZone: 'America/Chicago', currency: 'USD' });
  const { look, read, seen } = recorder(at.admin.token);
  const job = await hauled(books, ['10', '12'], { at, order: { ...RATES, load_at: '2026-11-02T13:00:00Z', notes: 'First' } });
  const { id: jobId, order } = job;
  const [load] = job.loads;
  const tickets: Json[] = await at.must('GET', `/v1/orders/${order.id}/tickets`);
  const paths = [`/v1/orders/${order.id}`, `/v1/jobs/${jobId}`, `/v1/loads/${load.id}`, `/v1/tickets/${tickets[0].id}`];
  const receivable = await invoiceOf(books, jobId, 'receivable', at.admin as never);
  paths.push(`invoice:${receivable.id}`);
  await look(...paths);
  await at.must('PATCH', `/v1/orders/${order.id}`, { notes: 'Second', po_job_number: 'PO-7' });
  await at.must('PATCH', `/v1/tickets/${tickets[0].id}`, { quantity: '11.5', notes: 'Weighed again' });
  await at.must('PATCH', `/v1/jobs/${jobId}`, { notes: 'Of the job', driver_rate_value: '3' });
  await look(...paths);
  await at.must('PATCH', `/v1/loads/${load.id}`, { notes: 'Of the load' });
  await at.must('PATCH', `/v1/orders/${order.id}`, { notes: null });
  await approveLoads({ ...at.admin, path: at.path } as never, job);
  await look(...paths);
  const approved = await at.admin.http('PUT', at.path(`/invoices/${receivable.id}/approve`));
  expect(approved.status).toBe(200);
  const settlement = await at.admin.must('POST', at.path('/settlements'), { invoice_ids: [receivable.id] });
  paths.push(`/v1/settlements/${settlement.id}`);
  await look(...paths);
  await at.admin.must('PUT', at.path(`/settlements/${settlement.id}/approve`));
  await look(...paths);
  const answers = await Promise.all(seen.map(async (one) => ({ ...one, was: await read(one.path, one.at) })));
  const differences = answers.flatMap(({ path, body, was }, at) =>
    was.status === 200
      ? Object.keys({ ...body, ...ownOf(was.body) }).flatMap((name) =>
          JSON.stringify(body[name]) === JSON.stringify(was.body[name])
            ? []
            : [`${at} ${path} ${name}: ${body[name]} -> ${was.body[name]}`],
        )
      : [`${at} ${path} ${JSON.stringify(was.body)}`],
  );
  expect(differences).toEqual([]);
  // How a total came about is not in the log: it is answered as long as nothing has changed since.
  const explained = answers.filter(({ path }) => path.startsWith('invoice:')).map(({ was }) => was.body.explain !== null);
  expect([explained[0], explained.at(-1)]).toEqual([false, true]);
});

test('a driver day is answered as it was', async () => {
  const at = await makeStaffedTenant(books.app, { timeZone: 'America/Chicago' });
  await hauled(books, ['10'], { at });
  const [day] = await at.must('GET', at.path('/driver_days'), undefined, at.admin.token);
  const before = await moment();
  await at.driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  await at.admin.must('PUT', `/v1/driver_days/${day.id}/approve`, {});
  const approved = await moment();
  const read = async (instant: string): Promise<boolean> =>
    (await at.admin.must('GET', asOf(`/v1/driver_days/${day.id}`, instant))).approved;
  expect([await read(before), await read(approved)]).toEqual([false, true]);
});

test('what the log does not say is not answered, and the answer says why', async () => {
  const at = await makeStaffedTenant(books.app);
  const job = await readyJob(at, { notes: 'First' });
  const order = `/v1/orders/${job.order.id}`;
  const begun = await moment();
  await at.must('PATCH', order, { job_notes: 'Mind the gate' });
  const followed = await moment();
  // The job took it over from its order, without an entry of its own.
  expect(messagesOf(await at.admin.http('GET', asOf(`/v1/jobs/${job.id}`, begun)))).toEqual([
    422,
    'as_of: cannot be answered: the audit log does not say what notes was then',
  ]);
  expect((await at.admin.http('GET', asOf(`/v1/jobs/${job.id}`, followed))).status).toBe(200);
  expect((await at.admin.must('GET', asOf(order, begun))).job_notes).toBeNull();
  // Somebody changed the table by hand.
  await books.app.orm.em.fork().execute('update orders set notes = ? where id = ?', ['By hand', job.order.id]);
  await at.must('PATCH', order, { notes: 'Last' });
  expect(messagesOf(await at.admin.http('GET', asOf(order, begun)))).toEqual([
    422,
    'as_of: cannot be answered: the audit log does not say what notes was then',
  ]);
  // A truck that no entry names was not there when the order was made, and is now.
  const other = await readyJob(at);
  const path = `/v1/orders/${other.order.id}`;
  const early = await moment();
  await books.app.orm.em.fork().execute('update orders set po_job_number = ? where id = ?', ['By hand', other.order.id]);
  expect(messagesOf(await at.admin.http('GET', asOf(path, early)))).toEqual([
    422,
    'as_of: cannot be answered: the audit log does not say what po_job_number was then',
  ]);
  expect(messagesOf(await at.admin.http('GET', asOf(order, '2099-01-01T00:00:00Z')))).toEqual([422, 'as_of: is not over yet']);
  expect(messagesOf(await at.admin.http('GET', asOf(order, 'yesterday')))).toEqual([
    422,
    'as_of: is not an ISO 8601 timestamp with an offset',
  ]);
});

test('before it was made there is no record, and from then on it has the state that it had', async () => {
  const at = await makeStaffedTenant(books.app);
  const before = await moment();
  const made = await plannedOrder(at, { driver_id: at.driver.id });
  const [job] = made.jobs;
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  const paths = [`/v1/orders/${made.id}`, `/v1/jobs/${job.id}`, `/v1/loads/${load.id}`];
  const states = async (instant?: string): Promise<Json[]> =>
    Promise.all(paths.map(async (path) => (await at.admin.must('GET', instant ? asOf(path, instant) : path)).state));
  const seen: [string, Json[]][] = [];
  const look = async () => void seen.push([await moment(), await states()]);
  await look();
  await at.dispatcher.must('PUT', `/v1/orders/${made.id}/accept`, {});
  await at.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await look();
  for (const event of ['accept', ...ONE_LOAD, 'complete']) {
    await at.driver.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
    await look();
  }
  expect(new Set(seen.flatMap(([, now]) => now[1]!)).size).toBeGreaterThan(7);
  for (const [instant, then] of seen) expect([instant, await states(instant)]).toEqual([instant, then]);
  for (const path of paths) expect([path, (await at.admin.http('GET', asOf(path, before))).status]).toEqual([path, 404]);
});

test('the past is read by those who read the audit log, with the masks of today', async () => {
  const at = await makeStaffedTenant(books.app);
  const job = await readyJob(at, { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' });
  const order = `/v1/orders/${job.order.id}`;
  const before = await moment();
  await at.must('PATCH', order, { customer_rate_value: '5' });
  expect(Number((await at.admin.must('GET', asOf(order, before))).customer_rate_value)).toBe(4.25);
  expect((await at.dispatcher.http('GET', order)).status).toBe(200);
  expect((await at.dispatcher.http('GET', asOf(order, before))).status).toBe(403);
  expect((await at.driver.http('GET', asOf(`/v1/jobs/${job.id}`, before))).status).toBe(403);
  const stranger = await makeStaffedTenant(books.app);
  expect((await stranger.admin.http('GET', asOf(order, before))).status).toBe(404);
  const em = books.app.orm.em.fork();
  const { client } = makeMachineClient(em, at.company, { name: 'Archive', permissions: ['view_audit_log'] });
  await em.flush();
  const { token } = await issueToken(em, 'machine', client.id);
  const masked = await books.app.http('GET', asOf(order, before), { token });
  expect([masked.status, masked.body.data.customer_rate_value, masked.body.data.notes]).toEqual([200, null, null]);
});

test('whoever got the work reads it as it is, and not as it was', async () => {
  const chain = await makeChain(books.app);
  const { id } = await jobOfChain(chain);
  const at = await moment();
  expect((await chain.middle.admin.http('GET', `/v1/jobs/${id}`)).status).toBe(200);
  expect((await chain.middle.admin.http('GET', asOf(`/v1/jobs/${id}`, at))).status).toBe(403);
  expect((await chain.owner.admin.http('GET', asOf(`/v1/jobs/${id}`, at))).status).toBe(200);
  const { order } = (await chain.owner.admin.http('GET', `/v1/jobs/${id}`)).body.data;
  const jobs = asOf(`/v1/orders/${order.id}/jobs`, at);
  expect([(await chain.middle.admin.http('GET', jobs)).status, (await chain.owner.admin.http('GET', jobs)).status]).toEqual([403, 200]);
});

test('what was deleted since is answered as it was until then, and is not there for anybody else', async () => {
  const at = await makeStaffedTenant(books.app);
  const order = await plannedOrder(at, { truck_count: 2, loads_per_truck: 2 });
  const [job, left] = order.jobs;
  const [load] = await at.must('GET', `/v1/jobs/${left.id}/loads`);
  const ticket = await at.must('POST', '/v1/tickets', { order_id: order.id, ticket_number: 'D-1', quantity: '9', unit_of_measure: 'Ton' });
  const paths = [`/v1/jobs/${job.id}`, at.path(`/jobs/${job.id}`), `/v1/loads/${load.id}`, `/v1/tickets/${ticket.id}`];
  const look = async (instant?: string): Promise<Json[]> =>
    Promise.all(paths.map(async (path) => ownOf(await at.admin.must('GET', instant ? asOf(path, instant) : path))));
  const seen: [string, Json[]][] = [];
  const remember = async () => void seen.push([await moment(), await look()]);
  await remember();
  await at.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: '11.5', notes: 'Weighed again' });
  await remember();
  await at.must('DELETE', `/v1/jobs/${job.id}`);
  await at.must('DELETE', `/v1/loads/${load.id}`);
  await at.must('DELETE', `/v1/tickets/${ticket.id}`);
  const after = await moment();
  for (const [instant, then] of seen) expect(await look(instant)).toEqual(then);
  const stranger = await makeStaffedTenant(books.app);
  const [instant] = seen[1]!;
  for (const path of paths) {
    const status = async (who: typeof at.admin, when: string) => (await who.http('GET', asOf(path, when))).status;
    const answers = [await status(at.admin, after), await status(at.admin, '2020-01-01T00:00:00Z')];
    expect([path, ...answers, await status(at.dispatcher, instant), await status(stranger.admin, instant)]).toEqual([
      path,
      404,
      404,
      404,
      404,
    ]);
  }
});

test('a company that is not seen is as little there in the past', async () => {
  const [at, stranger] = [await makeStaffedTenant(books.app), await makeStaffedTenant(books.app)];
  const text = 'query ($id: ID!, $asOf: DateTime) { company(id: $id, asOf: $asOf) { id } }';
  const instant = await moment();
  const { data } = await at.admin.gql(text, { id: at.company.id, asOf: instant });
  expect(data.company).toEqual({ id: at.company.id });
  for (const id of [stranger.company.id, '00000000-0000-7000-8000-000000000000']) {
    const { errors } = await at.admin.gql(text, { id, asOf: instant });
    expect(errors.map(({ extensions }: Json) => extensions.code)).toEqual(['object_not_found']);
    expect((await at.admin.http('GET', asOf(`/v1/companies/${id}`, instant))).status).toBe(404);
  }
});

test('a load that somebody added is read as it was, like one that came with its job, and so is its list', async () => {
  const at = await makeStaffedTenant(books.app);
  const job = await readyJob(at);
  const { id } = await at.must('POST', `/v1/jobs/${job.id}/loads`, { quantity: 5, unit_of_measure: 'Ton' });
  const then = await moment();
  await at.must('PATCH', `/v1/loads/${id}`, { quantity: 7 });
  expect((await at.must('GET', asOf(`/v1/loads/${id}`, then))).quantity).toBe('5');
  const all: Json[] = await at.must('GET', asOf(`/v1/jobs/${job.id}/loads`, then));
  expect(all.map(({ quantity }) => quantity).sort()).toEqual(['5', null]);
});

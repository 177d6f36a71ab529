import { expect, test } from '@jest/globals';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';
import { choose } from '../days/worked-days.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('the minutes of a job are approved for its driver after its customer is billed by the ton, and not after the driver is', async () => {
  const own = await makeStaffedTenant(books.app);
  await choose(own, { approvalBeforeInvoice: false });
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 30, driver_rate_type: 'RatePerHour' };
  const { id } = await hauled(scene, ['10'], { at: own, order });
  const summary = (minutes: number) => own.admin.http('PATCH', `/v1/jobs/${id}/summary`, { approved_work_time_minutes: minutes });
  const approve = (minutes: number, approval_type: string) =>
    own.admin.http('PUT', `/v1/jobs/${id}/approve`, { approval_type, approved_work_time_minutes: minutes });
  const bill = await invoiceOf(scene, id);
  expect((await event(biller, bill.id, 'approve')).status).toBe(200);
  await biller.must('POST', biller.path('/settlements'), { invoice_ids: [bill.id] });
  expect((await summary(60)).status).toBe(200);
  expect((await approve(90, 'foreman')).status).toBe(200);
  const pay = await invoiceOf(scene, id, 'payable');
  expect(pay.total_amount).toBe('45');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const refused = [422, [`is on ${pay.invoice_id}, which is approved; take that approval back first`]];
  const said = ({ status, body }: Json) => [status, messages({ body })];
  expect(said(await approve(120, 'biller'))).toEqual(refused);
  expect((await approve(90, 'biller')).status).toBe(200);
  expect(await invoiceOf(scene, id, 'payable')).toMatchObject({ state: 'approved', total_amount: '45' });
});

test('B15: a load in dispute is changed while the others of its job are approved, and none that is on an approved invoice', async () => {
  const own = await makeStaffedTenant(books.app);
  // Nothing is approved but invoices.
  await choose(own, { approvalBeforeInvoice: false });
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const { id, loads } = await hauled(scene, [null, null], { at: own, order });
  const [one, disputed]: Json[] = loads;
  const weigh = (load: Json, quantity: number) => own.admin.http('PATCH', `/v1/loads/${load.id}`, { quantity, unit_of_measure: 'Ton' });
  const time = (load: Json, arrived_pickup_at: string | null = null) =>
    own.admin.http('PATCH', `/v1/loads/${load.id}/summary`, { arrived_pickup_at });
  const heldBy = ({ invoice_id }: Json) => [422, [`is on ${invoice_id}, which is approved; take that approval back first`]];
  const said = (answer: Json) => [answer.status, answer.status === 200 ? [] : messages(answer)];
  const DONE = [200, []];
  for (const load of loads) expect(said(await weigh(load, 9))).toEqual(DONE);
  // One of them has stops of its own.
  const read = ({ id: load }: Json): Promise<Json> => own.must('GET', `/v1/loads/${load}`, undefined, own.admin.token);
  const move = async (load: Json, site_id: string) => {
    const [, { id: stop }] = (await read(load)).waypoints;
    return own.admin.http('PATCH', `/v1/loads/${load.id}`, { waypoints: [{ id: stop, site_id }] });
  };
  expect(said(await move(one, own.pickup.id))).toEqual(DONE);

  // The driver is paid for the job, whatever the loads weigh; when they were somewhere may be paid.
  const pay = await invoiceOf(scene, id, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  expect(said(await weigh(one, 10))).toEqual(DONE);
  expect(said(await time(one))).toEqual(heldBy(pay));
  expect((await event(biller, pay.id, 'unapprove')).status).toBe(200);
  expect(said(await time(one))).toEqual(DONE);

  const bill = await invoiceOf(scene, id);
  expect(bill.total_amount).toBe('76');
  const part = await biller.must('POST', biller.path(`/invoices/${bill.id}/split`), { load_ids: [disputed.id] });
  expect((await event(biller, bill.id, 'approve')).status).toBe(200);
  expect(said(await time(one))).toEqual(DONE);
  expect([said(await weigh(one, 11)), said(await time(one, one.load_summary.loaded_at)), said(await move(one, own.dropoff.id))]).toEqual([
    heldBy(bill),
    heldBy(bill),
    heldBy(bill),
  ]);
  // Clients send the whole load back to change its notes.
  const whole = { ...(await read(one)), notes: 'Billed' };
  expect(said(await own.admin.http('PATCH', `/v1/loads/${one.id}`, whole))).toEqual(DONE);
  expect(await read(one)).toMatchObject({ notes: 'Billed', quantity: whole.quantity, waypoints: whole.waypoints });
  expect([said(await weigh(disputed, 8)), said(await time(disputed))]).toEqual([DONE, DONE]);
  await books.app.settled();
  const billed = async (invoice: Json) => (await biller.must('GET', biller.path(`/invoices/${invoice.id}`))).total_amount;
  expect([await billed(bill), await billed(part)]).toEqual(['40', '32']);
  expect((await event(biller, part.id, 'approve')).status).toBe(200);
  expect(said(await weigh(disputed, 9))).toEqual(heldBy(part));
});

const AMEND = `mutation($id: ID!, $quantity: Decimal!) { amendTicket(id: $id, input: { quantity: $quantity, reason: "weighed again" }) { quantity } }`;

test('B15: what a ticket says of a load in dispute is corrected, by every door, while other loads of its job are approved', async () => {
  const own = await makeStaffedTenant(books.app);
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 50, driver_rate_type: 'RatePerLoad' };
  const { id, loads } = await hauled(scene, ['10', '20'], { at: own, order });
  const [one, disputed]: Json[] = loads;
  const tickets: Json[] = await own.must('GET', `/v1/jobs/${id}/tickets`);
  const ticketOf = (load: Json) => tickets.find(({ quantity }) => quantity === (load === one ? '10' : '20')).id;
  const picture = { foreignImageUrl: 'https://files.example/1.jpg' };
  await books.app.orm.em.fork().nativeUpdate(Ticket, { job: id }, picture, { filters: { tenant: false } });
  for (const load of loads) await own.admin.must('PUT', `/v1/tickets/${ticketOf(load)}/approve`, {});
  await approveLoads(biller, { loads });
  const [bill, pay] = [await invoiceOf(scene, id), await invoiceOf(scene, id, 'payable')];
  // Its driver is paid for a load, whatever that weighs.
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const part = await biller.must('POST', biller.path(`/invoices/${bill.id}/split`), { load_ids: [disputed.id] });
  expect((await event(biller, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '40' });
  const billed = async (invoice: Json) => {
    await books.app.settled();
    return (await biller.must('GET', biller.path(`/invoices/${invoice.id}`))).total_amount;
  };
  const heldBy = ({ invoice_id }: Json) => `is on ${invoice_id}, which is approved; take that approval back first`;
  const amend = async (load: Json, quantity: string) => {
    const { data, errors } = await own.gql(AMEND, { id: ticketOf(load), quantity }, own.admin.token);
    return data?.amendTicket?.quantity ?? errors[0].extensions.errors[0].message;
  };
  expect([await amend(one, '11'), await amend(disputed, '18')]).toEqual([heldBy(bill), '18']);
  expect([await billed(bill), await billed(part)]).toEqual(['40', '72']);
  // The line of the invoice is another door to the same ticket.
  const [line] = await biller.must('GET', biller.path(`/invoices/${part.id}/invoice_line_items`));
  const change = { invoice_line_items: [{ id: line.id, quantity: 17 }] };
  await own.admin.must('PATCH', own.path(`/invoices/${part.id}/invoice_line_items`), change);
  expect((await own.must('GET', `/v1/tickets/${ticketOf(disputed)}`)).quantity).toBe('17');
  expect([await billed(bill), await billed(part)]).toEqual(['40', '68']);

  // So is the approval of the load, which the pay of the driver holds as well.
  const unapprove = async (load: Json) => {
    const answer = await biller.http('PUT', biller.path(`/loads/${load.id}/unapprove`), {});
    return answer.status === 200 ? 'done' : messages(answer)[0];
  };
  const unapprovable = async () => (await own.must('GET', `/v1/jobs/${id}/loads`)).map((load: Json) => [load.id, load.unapprovable]);
  expect([await unapprove(one), await unapprove(disputed)]).toEqual([heldBy(bill), heldBy(pay)]);
  expect(Object.fromEntries(await unapprovable())).toEqual({ [one.id]: false, [disputed.id]: false });
  expect((await event(biller, pay.id, 'unapprove')).status).toBe(200);
  expect(Object.fromEntries(await unapprovable())).toEqual({ [one.id]: false, [disputed.id]: true });
  expect([await unapprove(one), await unapprove(disputed)]).toEqual([heldBy(bill), 'done']);

  const discard = async (load: Json) => {
    const answer = await own.admin.http('PUT', `/v1/tickets/${ticketOf(load)}/void`, {});
    return answer.status === 200 ? answer.body.data.state : messages(answer)[0];
  };
  expect([await discard(one), await discard(disputed)]).toEqual([heldBy(bill), 'voided']);
  expect([await billed(bill), await billed(part)]).toEqual(['40', '0']);
});

const WEIGH =
  'mutation($id: ID!, $quantity: Decimal!) { updateTicket(id: $id, input: { quantity: $quantity, supplement: true }) { quantity } }';
const VOID = 'mutation($id: ID!) { voidTicket(id: $id, input: { supplement: true }) { state } }';

test('B5: a load on an invoice that can be taken back gets no supplement because other loads of its job are settled', async () => {
  const own = await makeStaffedTenant(books.app);
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon' };
  const job = await hauled(scene, ['10', '20'], { at: own, order });
  await approveLoads(biller, job);
  const bill = await invoiceOf(scene, job.id);
  const part = await biller.must('POST', biller.path(`/invoices/${bill.id}/split`), { load_ids: [job.loads[1].id] });
  for (const { id } of [bill, part]) expect((await event(biller, id, 'approve')).status).toBe(200);
  await settle(scene, [bill]);
  const tickets: Json[] = await own.must('GET', `/v1/jobs/${job.id}/tickets`);
  const { id: ticket } = tickets.find(({ quantity }) => quantity === '20');
  const ask = async (mutation: string, quantity?: string) => {
    const { data, errors } = await own.gql(mutation, { id: ticket, quantity }, own.admin.token);
    return errors ? errors[0].extensions.errors[0].message : Object.values(data)[0];
  };
  const parts = async () => {
    await books.app.settled();
    const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
    return listed.map(({ total_amount }) => total_amount).toSorted();
  };
  const held = `is on ${part.invoice_id}, which is approved; take that approval back first`;
  expect([await ask(WEIGH, '21'), await ask(VOID)]).toEqual([held, held]);
  expect(await parts()).toEqual(['40', '80']);
  // It is taken back, and follows.
  expect((await event(biller, part.id, 'unapprove')).status).toBe(200);
  expect([await ask(WEIGH, '21'), await parts()]).toEqual([{ quantity: '21' }, ['40', '84']]);
  expect((await event(biller, part.id, 'approve')).status).toBe(200);
  await settle(scene, [part]);
  expect([await ask(WEIGH, '22'), await parts()]).toEqual([{ quantity: '22' }, ['4', '40', '84']]);
});

test('B5: a ticket does not leave a load that is paid for whatever it weighs, by no door', async () => {
  const own = await makeStaffedTenant(books.app);
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const job = await hauled(scene, ['10', null], { at: own, order: { customer_rate_value: 50, customer_rate_type: 'RatePerLoad' } });
  await approveLoads(biller, job);
  const bill = await invoiceOf(scene, job.id);
  const part = await biller.must('POST', biller.path(`/invoices/${bill.id}/split`), { load_ids: [job.loads[1].id] });
  expect((await event(biller, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '50' });
  const [{ id: ticket }] = await own.must('GET', `/v1/jobs/${job.id}/tickets`);
  const path = `/v1/tickets/${ticket}`;
  const doors = (by: typeof own.admin) => [
    () => by.http('PATCH', path, { load_id: job.loads[1].id }),
    () => by.http('PATCH', path, { load_id: null }),
    () => by.http('DELETE', path),
    () => by.http('PUT', `${path}/void`, {}),
  ];
  const held = `is on ${bill.invoice_id}, which is approved; take that approval back first`;
  for (const [i, open] of doors(own.admin).entries()) expect([i, messages(await open())]).toEqual([i, [held]]);
  // What it weighs is no matter of this invoice, and the load that it has is no other one.
  expect((await own.admin.must('PATCH', path, { quantity: 11, load_id: job.loads[0].id })).quantity).toBe('11');
  expect((await event(biller, bill.id, 'unapprove')).status).toBe(200);
  const [move] = doors(own.admin);
  expect((await move!()).body.data).toMatchObject({ load_id: job.loads[1].id });
  expect((await event(biller, part.id, 'approve')).status).toBe(200);
  expect(messages(await own.admin.http('DELETE', path))).toEqual([held.replace(bill.invoice_id, part.invoice_id)]);
});

test('B5: a commission on loads that are paid for whatever they weigh does not hold their weight, and one on tons does', async () => {
  const own = await makeStaffedTenant(books.app);
  await choose(own, { approvalBeforeInvoice: false });
  const biller = await billerOf(own);
  const scene = { ...books, tenant: own, biller };
  const card = await own.must('POST', '/v1/rates', {
    ...{ name: 'Two for each', owner_type: 'driver', type: 'RateFlatCommission', commission_amount: 2 },
  });
  const paid = async (customer_rate_type: string) => {
    const order = { customer_rate_value: 50, customer_rate_type, driver_rate_id: card.id };
    const { id } = await hauled(scene, ['10'], { at: own, order });
    const pay = await invoiceOf(scene, id, 'payable');
    expect((await event(biller, pay.id, 'approve')).status).toBe(200);
    const [ticket] = await own.must('GET', `/v1/jobs/${id}/tickets`);
    return { pay, path: `/v1/tickets/${ticket.id}`, job: id };
  };
  const held = ({ invoice_id }: Json) => `is on ${invoice_id}, which is approved; take that approval back first`;
  const byLoad = await paid('RatePerLoad');
  expect(byLoad.pay.total_amount).toBe('2');
  expect((await own.admin.must('PATCH', byLoad.path, { quantity: 11 })).quantity).toBe('11');
  expect(await invoiceOf(scene, byLoad.job, 'payable')).toMatchObject({ state: 'approved', total_amount: '2' });
  // That nothing was delivered is not paid, and that there is a ticket is held.
  expect(messages(await own.admin.http('PATCH', byLoad.path, { quantity: 0 }))).toEqual([held(byLoad.pay)]);
  expect(messages(await own.admin.http('PUT', `${byLoad.path}/void`, {}))).toEqual([held(byLoad.pay)]);
  const byTon = await paid('RatePerTon');
  expect(byTon.pay.total_amount).toBe('20');
  expect(messages(await own.admin.http('PATCH', byTon.path, { quantity: 11 }))).toEqual([held(byTon.pay)]);
});

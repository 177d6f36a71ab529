import { expect, test } from '@jest/globals';
import { JobAssignment } from '../../../src/dispatch/model/job-assignment.entity.ts';
import { act, drive, jobOf, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { type Biller, type Books, billerOf, event, invoiceOf, makeBooks, messages } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });

/** Returns the comparisons of some side, the most at stake first. */
async function matches({ app }: Pick<Books, 'app'>, by: Biller, query = 'filter[side]=receivable'): Promise<Json[]> {
  await app.settled();
  return by.must('GET', by.path(`/billing/load_matches?${query}`));
}

/** A chain of companies, and a job of its owner with loads at 3.60 a ton for the first vendor, with tickets of these numbers. */
async function hiredOut(tickets: readonly [number: string, tons: string][]) {
  const chain = await makeChain(books.app);
  const { owner, hired } = chain;
  return { owner, hired, ...(await subcontracted(chain, tickets)), biller: await billerOf(owner) };
}

/** @param before is called before anything is hauled */
async function subcontracted(
  { owner, middle, last, hired, subHired }: Awaited<ReturnType<typeof makeChain>>,
  tickets: readonly [number: string, tons: string][],
  before?: (hired: Json, loads: Json[]) => Promise<unknown>,
) {
  const { user, token } = await last.person({ roles: ['driver'] });
  const { id } = await jobOf(owner, { loads_per_truck: tickets.length });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await last.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: user.id });
  await last.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  const person = { must: (method: string, path: string, body?: object) => last.must(method, path, body, token) } as never;
  await drive(person, id, 'accept');
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon' });
  const loadsOf = async (): Promise<Json[]> =>
    (await owner.must('GET', `/v1/jobs/${id}/loads`)).toSorted((a: Json, b: Json) => a.ordinality - b.ordinality);
  await before?.(hired, await loadsOf());
  await drive(person, id, ...shortHaul(tickets.length));
  const loads = await loadsOf();
  const enter = (i: number) =>
    owner.must('POST', '/v1/tickets', {
      ...{ load_id: loads[i].id, ticket_number: tickets[i]![0], quantity: tickets[i]![1], unit_of_measure: 'Ton' },
    });
  return { id, loads, enter };
}

test('B15, vendor invoices more than we computed: its bill is compared with tickets and the payable, load by load', async () => {
  const { id, hired, loads, enter, biller, owner } = await hiredOut([
    ['A-1', '23.21'],
    ['A-2', '22'],
    ['A-3', '24.06'],
  ]);
  for (const i of [0, 1]) await enter(i);
  await books.app.settled();
  const bills = biller.path('/billing/vendor_bills');
  const lines = [
    { ticket_number: ' a-1 ', quantity: 23.21, rate: 3.6, date: '2026-11-23' },
    { ticket_number: 'A-2', quantity: 23, rate: 3.75 },
    { ticket_number: 'A-3', quantity: 24.06, rate: 3.6 },
    { ticket_number: 'A-1', amount: 83.56 },
  ];
  const bill = await biller.must('POST', bills, { vendor_account_id: hired.id, number: 'V-1', date: '2026-11-27', lines });
  // 83.56 + 86.25 + 86.62 + 83.56
  expect(bill).toMatchObject({ number: 'V-1', lines_count: 4, total_amount: '339.99', vendor_account: { id: hired.id } });
  expect(await biller.must('GET', `${bills}/${bill.id}`)).toEqual(bill);
  const ofBill = async (): Promise<Json[]> =>
    (await matches(books, biller, `filter[vendor_bill_id]=${bill.id}`)).map((one) => [
      one.ticket_number,
      one.variances,
      one.amount_at_stake,
    ]);
  // A-3 has no ticket here yet: nobody knows which load that is.
  expect(await ofBill()).toEqual([
    ['A-3', ['no_load'], '86.62'],
    ['A-1', ['twice_billed'], '83.56'],
    ['A-2', ['qty_bill_vs_ticket', 'price_bill_vs_invoice'], '7.05'],
    ['A-1', [], '0'],
  ]);
  await enter(2);
  expect(await ofBill()).toEqual([
    ['A-1', ['twice_billed'], '83.56'],
    ['A-2', ['qty_bill_vs_ticket', 'price_bill_vs_invoice'], '7.05'],
    ...(await ofBill()).slice(2),
  ]);
  expect((await ofBill()).slice(2).toSorted()).toEqual([
    ['A-1', [], '0'],
    ['A-3', [], '0'],
  ]);
  const [match] = await matches(books, biller, `filter[vendor_bill_id]=${bill.id}&filter[variances][]=qty_bill_vs_ticket`);
  expect(match).toMatchObject({
    ...{ side: 'payable', load: { id: loads[1].id }, ticket_quantity: '22', billed_quantity: '22', rate: '3.6', amount: '79.2' },
    ...{ their_quantity: '23', their_rate: '3.75', their_amount: '86.25', result: 'variance', vendor_bill: { id: bill.id, number: 'V-1' } },
  });
  // Nothing was taken over.
  expect(await invoiceOf({ app: books.app, tenant: owner, biller }, id, 'payable')).toMatchObject({ total_amount: '249.38' });
  const twin = await biller.http('POST', bills, {
    vendor_account_id: hired.id,
    number: 'v-1',
    lines: [{ ticket_number: 'B-1', amount: 1 }],
  });
  expect([twin.status, twin.body.error.errors[0].field]).toEqual([422, 'number']);
  const again = await biller.must('POST', bills, {
    ...{ vendor_account_id: hired.id, number: 'V-2', lines: [{ load_id: loads[1].id, ticket_number: 'A-2', quantity: 22, rate: 3.6 }] },
  });
  const ofAgain = () => matches(books, biller, `filter[vendor_bill_id]=${again.id}`);
  expect(await ofAgain()).toMatchObject([{ variances: ['twice_billed'], amount_at_stake: '79.2' }]);
  // A bill that was entered by mistake leaves nothing, and room for another one.
  expect((await biller.http('DELETE', `${bills}/${bill.id}`)).status).toBe(204);
  expect((await biller.must('GET', bills)).map(({ id }: Json) => id)).toEqual([again.id]);
  expect(await ofAgain()).toMatchObject([{ result: 'matched', load: { id: loads[1].id }, their_amount: '79.2' }]);
  const left = await matches(books, biller, 'filter[side]=payable');
  expect(left.map((one) => [one.ticket_number, one.result, one.their_amount]).toSorted()).toEqual([
    ['A-1', 'matched', null],
    ['A-2', 'matched', '79.2'],
    ['A-3', 'matched', null],
  ]);
  // One has the loads of the job compared while the other enters a bill for one of them: neither has what the other waits for.
  const em = books.app.orm.em.fork();
  const deadlocks = async (): Promise<Json> =>
    em.getConnection().execute('select deadlocks from pg_stat_database where datname = current_database()');
  const before = await deadlocks();
  const last = left.filter((one) => one.their_amount === null).toSorted((a, b) => (a.id < b.id ? 1 : -1))[0];
  const { order } = await owner.must('GET', `/v1/jobs/${id}`);
  await em.begin();
  await em.getConnection().execute('select from load_match where id = ? for update', [last.id], 'all', em.getTransactionContext());
  const entered = biller.must('POST', bills, {
    ...{ vendor_account_id: hired.id, number: 'V-3', lines: [{ ticket_number: last.ticket_number, amount: 1 }] },
  });
  await untilWaiting(books.app, 1);
  await owner.must('PATCH', `/v1/orders/${order.id}`, { tax_rate: 1, tax_freight: true });
  await untilWaiting(books.app, 2);
  await em.rollback();
  const raced = await matches(books, biller, `filter[vendor_bill_id]=${(await entered).id}`);
  expect(raced).toMatchObject([{ ticket_number: last.ticket_number, their_amount: '1', load: expect.anything() }]);
  expect(await deadlocks()).toEqual(before);
});

test('B14: a bill names each line that is wrong, and a sheet is read as lines are', async () => {
  const { hired, enter, biller } = await hiredOut([['S-1', '10']]);
  await enter(0);
  await books.app.settled();
  const bills = biller.path('/billing/vendor_bills');
  const post = (body: object) => biller.http('POST', bills, { vendor_account_id: hired.id, number: 'S', ...body });
  const fields = async (body: object): Promise<string[]> => {
    const answer = await post(body);
    expect(answer.status).toBe(422);
    return answer.body.error.errors.map(({ field }: Json) => field).toSorted();
  };
  expect(await fields({})).toEqual(['lines']);
  expect(await fields({ lines: [] })).toEqual(['lines']);
  expect(await fields({ lines: [{ ticket_number: 'S-1', amount: 1 }], csv: 'ticket_number,amount\nS-1,1' })).toEqual(['csv']);
  expect(await fields({ lines: [{ amount: 1 }, { ticket_number: 'S-1' }] })).toEqual(['lines.0.ticket_number', 'lines.1.amount']);
  expect(await fields({ lines: [{ load_id: 'x', amount: 1 }] })).toEqual(['lines.0.load_id']);
  expect(await fields({ lines: [{ ticket_number: 'S-1', quantity: -1, rate: 1 }] })).toEqual(['lines.0.quantity']);
  expect(await fields({ lines: [{ ticket_number: 'S-1', amount: 1.00001 }] })).toEqual(['lines.0.amount']);
  expect(await fields({ csv: 'ticket,amount\nS-1,1' })).toEqual(['csv']);
  expect(await fields({ csv: 'ticket_number,quantity,rate,date\nS-1,"1,5",NaN,23.11.2026' })).toEqual([
    ...['lines.0.amount', 'lines.0.date', 'lines.0.quantity', 'lines.0.rate'],
  ]);
  expect(await fields({ lines: Array.from({ length: 1_001 }, () => ({ ticket_number: 'S-1', amount: 1 })) })).toEqual(['lines']);
  expect((await post({ vendor_account_id: books.tenant.account.id, lines: [{ ticket_number: 'S-1', amount: 1 }] })).status).toBe(422);
  expect(await biller.must('GET', bills)).toEqual([]);
  const answer = await post({ csv: '\uFEFFTicket Number;Quantity;Rate;Date;Note\nS-1;10;3.60;2026-11-20;late\n\nS-9;1;$2.5;;\n' });
  expect([answer.status, answer.body.error && messages(answer)]).toEqual([201, undefined]);
  const found = await matches(books, biller, `filter[vendor_bill_id]=${answer.body.data.id}`);
  expect(found.map((one) => [one.ticket_number, one.variances, one.their_amount])).toEqual([
    ['S-9', ['no_load'], '2.5'],
    ['S-1', ['date_bill_vs_load'], '36'],
  ]);
  expect((await event(biller, found[1].invoice.id, 'void')).status).toBeLessThan(500);
});

test('a bill finds a load that comes later by its id, of several at once one has it, and none keeps it when somebody else is owed for it', async () => {
  const chain = await makeChain(books.app);
  const { owner, hired } = chain;
  const biller = await billerOf(owner);
  const path = biller.path('/billing/vendor_bills');
  const billed = async (number: string, lines: Json[]): Promise<Json> =>
    biller.must('POST', path, { vendor_account_id: hired.id, number, lines });
  const ofBill = async ({ id }: Json): Promise<Json[]> =>
    (await matches(books, biller, `filter[vendor_bill_id]=${id}`)).map((one) => [one.load?.id ?? null, one.variances, one.their_amount]);
  const tickets = ['L-1', 'L-2', 'L-3'].map((number): [string, string] => [number, '10']);
  let early: Json;
  const job = await subcontracted(chain, tickets, async (_, planned) => {
    early = await billed('early', [{ load_id: planned[2]!.id, quantity: 10, rate: 3.6 }]);
    expect(await ofBill(early)).toEqual([[null, ['no_load'], '36']]);
    await billed('twice', [{ load_id: planned[2]!.id, amount: 5 }]);
  });
  for (const i of [0, 1, 2]) await job.enter(i);
  const [first, second, third] = job.loads;
  expect(await ofBill(early)).toEqual([[third.id, [], '36']]);
  const twice = (await matches(books, biller, 'filter[variances][]=twice_billed')).map((one) => one.their_amount);
  expect(twice).toEqual(['5']);
  // Each of these finds the load free when it begins.
  const numbers = ['R-1', 'R-2', 'R-3', 'R-4'];
  const raced = await Promise.all(numbers.map((number) => billed(number, [{ ticket_number: 'L-1', amount: 36 }])));
  const placed = (await Promise.all(raced.map(ofBill))).toSorted((a, b) => (a[0][0] === null ? 1 : -1) - (b[0][0] === null ? 1 : -1));
  expect(placed).toEqual([[[first.id, [], '36']], ...numbers.slice(1).map(() => [[null, ['twice_billed'], '36']])]);
  // A bill for loads of several jobs takes no more statements than one for those of one job.
  const other = await subcontracted(chain, [['M-1', '10']]);
  await other.enter(0);
  await books.app.settled();
  const lines = (...named: string[]) => named.map((ticket_number) => ({ ticket_number, amount: 36 }));
  const counted = async (number: string, ...named: string[]): Promise<number> => {
    const { value, statements } = await books.app.countStatements(() => billed(number, lines(...named)));
    expect((await ofBill(value)).map(([load]: Json) => load === null)).toEqual(named.map(() => false));
    expect((await biller.http('DELETE', `${path}/${value.id}`)).status).toBe(204);
    await books.app.settled();
    return statements.length;
  };
  await counted('warm', 'L-2');
  expect(await counted('C-1', 'L-2')).toBe(await counted('C-2', 'L-2', 'M-1'));
  // Another vendor is owed for the job: what the first one bills is for no load of its own any more.
  const { id: elsewhere } = await owner.must('POST', '/v1/accounts', { name: 'Elsewhere', account_types: ['vendor'] });
  const link = { job: job.id, vendorAccount: hired.id } as never;
  await books.app.orm.em.fork().nativeUpdate(JobAssignment, link, { vendorAccount: elsewhere } as never, { filters: { tenant: false } });
  const { order } = await owner.must('GET', `/v1/jobs/${job.id}`);
  await owner.must('PATCH', `/v1/orders/${order.id}`, { tax_rate: 1, tax_freight: true });
  expect(await ofBill(early)).toEqual([[null, ['no_load'], '36']]);
  const owed = (await matches(books, biller, `filter[vendor_account_ids][]=${elsewhere}`)).map((one) => [
    one.load.id,
    one.vendor_bill ?? null,
  ]);
  expect(owed.toSorted()).toEqual([first, second, third].map((load) => [load.id, null]).toSorted());
});

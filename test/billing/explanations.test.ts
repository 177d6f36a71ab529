import { expect, test } from '@jest/globals';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { jobOfChain, machineToken, makeChain, makeStaffedTenant, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks, rateCard, ticketed } from './books.ts';
import type { Fraction } from './evaluator/fractions.ts';
import { worth } from './evaluator/leaves.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

const text = (value: Fraction): string => (Number(value.over) / Number(value.under)).toFixed(2);
const leavesOf = ({ parts = [], ...leaf }: Json): Json[] => (parts.length > 0 ? parts.flatMap(leavesOf) : [leaf]);
/** All figures of a label, with what is below them. */
const figuresOf = (tree: Json, label: string): Json[] => [
  ...(tree.label === label ? [tree] : []),
  ...(tree.parts ?? []).flatMap((part: Json) => figuresOf(part, label)),
];
const explained = async (id: string, by = books.biller): Promise<Json> =>
  (await by.must('GET', by.path(`/invoices/${id}/explain`))).explain;

test('a settlement explains its total down to its invoices and charges, and they theirs down to tickets', async () => {
  const { biller, tenant } = books;
  const discount = { name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2, quantity: '1' };
  const kept = { account_type: 'customer', add_on_types: ['settlement'], total_installments: 0 };
  const assigned = await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, { ...kept, ...discount });
  const { index, fuel, wash, order } = await chargesOfM20(books);
  const invoices: Json[] = [];
  for (const [quantities, terms, charges] of [
    [M10, order, [fuel, wash]],
    [['1'], { customer_rate_value: 467.5, customer_rate_type: 'RatePerLoad' }, []],
  ] as const) {
    const job = await hauled(books, quantities, { order: terms });
    for (const { id } of charges) await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id, quantity: 1 });
    await approveLoads(biller, job);
    invoices.push((await event(biller, (await invoiceOf(books, job.id)).id, 'approve')).body.data);
  }
  const settlement = await settle({ biller }, invoices);
  await tenant.must('DELETE', `/v1/auto_add_on_assignments/${assigned.id}`);
  const of = (kind: string, id: string) => biller.must('GET', biller.path(`/${kind}/${id}/explain`));
  const { explain, ...named } = await of('settlements', settlement.id);
  expect(named).toEqual({ id: settlement.id, settlement_id: settlement.settlement_id });
  expect([explain.amount, text(worth(explain)), explain.rebilled]).toEqual(['1718.08', '1718.08', undefined]);
  const [all, charge] = explain.parts;
  expect(all).toMatchObject({ label: 'invoices', amount: '1753.14', operation: 'sum' });
  expect(charge).toMatchObject({ label: 'Prompt pay', amount: '-35.06', operation: 'percent', places: 2 });
  expect(all.parts.map(({ label, amount, source }: Json) => [label, amount, source.id])).toEqual(
    invoices.map(({ id, invoice_id, total_amount }) => [invoice_id, total_amount, id]),
  );
  for (const { id, total_amount } of invoices) {
    const { explain: tree } = await of('invoices', id);
    expect([tree.amount, text(worth(tree))]).toEqual([total_amount, Number(total_amount).toFixed(2)]);
    expect(leavesOf(tree).some(({ source }) => source?.type === 'Ticket' || source?.type === 'Load')).toBe(true);
    // B10: each record is named with its version, or, if it counts none, with the time since when it was like that.
    const sources = leavesOf(tree).flatMap(({ source }) => source ?? []);
    expect(sources.filter(({ version, since }) => (version === undefined) === (since === undefined))).toEqual([]);
    for (const { since } of sources) if (since) expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
  }
  // B10 "price date and row": what is charged for fuel is looked up by the price of the day in the rows of the schedule.
  const rates = ['view_settlements', 'view_customer_rates', 'view_vendor_rates', 'view_driver_rates'] as const;
  const treeOf = async (...more: 'view_fuel_prices'[]) =>
    (
      await tenant.must(
        'GET',
        tenant.path(`/invoices/${invoices[0].id}/explain`),
        undefined,
        await machineToken(tenant, [...rates, ...more]),
      )
    ).explain;
  const shown = await treeOf('view_fuel_prices');
  const [fueled, ...taxed] = figuresOf(shown, 'surcharge for fuel');
  // Fuel is a charge of its own, and taxed.
  expect([taxed.length, taxed[0]]).toEqual([1, fueled]);
  const [schedule] = await tenant.must('GET', tenant.path('/fuel_surcharge_schedules'));
  const rows: Json[] = await tenant.must('GET', `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`);
  const [price] = await tenant.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`);
  const row = { type: 'FuelSurchargeSchedulePrice', id: rows.find((one) => one.price === '4').id, since: expect.any(String) };
  expect(fueled).toMatchObject({ amount: '4', operation: 'reached', source: { type: 'AddOnCharge', date: '2026-11-16' } });
  expect(fueled.parts).toMatchObject([
    {
      label: 'price of fuel',
      amount: '4.132',
      source: { type: 'FuelPrice', id: price.id, since: expect.any(String), date: '2026-11-16' },
    },
    { label: 'surcharge below the row', amount: '0' },
    { label: 'price from which the row holds', amount: '4', source: row },
    { label: 'surcharge of the row from 4.00 on', amount: '4', source: row },
  ]);
  // Prices of fuel, their days and the rows are for those who see them; the surcharge is money of its side, and the total follows from it.
  const masked = await treeOf();
  expect(JSON.stringify(masked)).not.toMatch(/4\.132|2026-11-16|FuelPrice|FuelSurchargeSchedulePrice/);
  expect(figuresOf(masked, 'surcharge for fuel')[0]).toMatchObject({ amount: '4', operation: 'given', source: { type: 'AddOnCharge' } });
  expect([text(worth(masked)), text(worth(shown))]).toEqual(['1285.64', '1285.64']);
  expect(charge.parts[0].source).toMatchObject({ type: 'AddOnCharge', since: expect.stringMatching(/Z$/) });
  // Billed anew, both totals are explained.
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), { void_reason: 'price' });
  const again = await biller.must('POST', biller.path(`/settlements/${settlement.id}/rebill`));
  await biller.must('PATCH', `/v1/settlements/${again.id}/invoices/rebill_rates`, {
    data: [{ invoice_id: invoices[0].id, rebill_rate_value: 4.5 }],
  });
  const { explain: anew } = await of('settlements', again.id);
  expect([anew.amount, anew.rebilled.amount, text(worth(anew.rebilled))]).toEqual(['1718.08', '1737.18', '1737.18']);

  // Nobody else reads it, and nobody the amounts who may not.
  const stranger = await makeStaffedTenant(books.app);
  const paths = ['settlements', 'invoices'].map((kind, i) => `/${kind}/${i === 0 ? again.id : invoices[0].id}/explain`);
  for (const path of paths) {
    const from = async (who: Json) => (await who.http('GET', tenant.path(path))).status;
    expect([path, await from(stranger), await from(await tenant.person({ roles: ['dispatcher'] })), await from(tenant.driver)]).toEqual([
      ...[path, 404, 404, 404],
    ]);
  }
});

test('explanations of a list are read together', async () => {
  const { biller } = books;
  const ask = () => biller.gql('{ settlements { nodes { id explain } } }');
  const asked = async () => {
    await books.app.settled();
    const { statements } = await books.app.countStatements(ask);
    return statements.filter((sql) => /settlement|add_on_charge/.test(sql)).length;
  };
  // The page, and three statements for all of its settlements. What is looked up once in a while may come between in one of two times.
  expect(Math.min(await asked(), await asked())).toBe(4);
});

test('B10, rate_source.matched: a rate says where it is from and by which conditions it was chosen', async () => {
  const { tenant, biller } = books;
  const conditions = { account_id: tenant.account.id };
  const made = await rateCard(tenant, 'customer', { type: 'RatePerTon', unit_rate: 3, unit_minimum: 0, unit_increment: 0, ...conditions });
  const byCard = await hauled(books, ['10']);
  const byValue = await hauled(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const rateOf = async (id: string): Promise<Json> => figuresOf(await explained(id), 'rate')[0];
  const invoice = await invoiceOf(books, byCard.id);
  expect(await rateOf(invoice.id)).toMatchObject({
    amount: '3',
    source: { type: 'Rate', id: made.id },
    chosen: { source: 'rate_card', matched: ['account'] },
  });
  expect(await rateOf((await invoiceOf(books, byValue.id)).id)).toMatchObject({ amount: '2', chosen: { source: 'order', matched: [] } });
  // B2.3: what somebody sets says so, and what was chosen counts again when it is taken back.
  const path = biller.path(`/invoices/${invoice.id}`);
  await biller.must('PATCH', path, { rate_value: 5, rate_type: 'RatePerTon' });
  expect(await rateOf(invoice.id)).toMatchObject({ amount: '5', chosen: { source: 'by_hand', matched: [] } });
  await biller.must('PATCH', path, { rate_value: null, rate_type: null });
  expect(await rateOf(invoice.id)).toMatchObject({ amount: '3', chosen: { source: 'rate_card', matched: ['account'] } });
  await tenant.must('DELETE', `/v1/rates/${made.id}`);
});

/** Approves a ticket, of which there is a picture. */
async function approveTicket(of: StaffedTenant, id: string): Promise<void> {
  const picture = { foreignImageUrl: 'https://files.example/1.jpg' };
  await books.app.orm.em.fork().nativeUpdate(Ticket, { id }, picture, { filters: { tenant: false } });
  await of.must('PUT', `/v1/tickets/${id}/approve`, {}, await of.administrator());
}

const AMEND = `mutation ($id: ID!, $input: AmendTicketInput!) { amendTicket(id: $id, input: $input) { id amendments { id field reason } } }`;

test('B10, ticket and amendment: a quantity that was corrected says what it was before and why, in the books of whoever corrected it', async () => {
  const { tenant } = books;
  const admin = await tenant.administrator();
  const perTon = (side: string, value: number) => ({ [`${side}_rate_value`]: value, [`${side}_rate_type`]: 'RatePerTon' });
  const job = await hauled(books, ['22.9', '20'], { order: perTon('customer', 4) });
  const tickets: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  const ticket = tickets.find(({ quantity }) => quantity === '22.9');
  await approveTicket(tenant, ticket.id);
  const amend = async (input: object): Promise<Json[]> => {
    const { data, errors } = await tenant.gql(AMEND, { id: ticket.id, input }, admin);
    expect(errors).toBeUndefined();
    return data.amendTicket.amendments;
  };
  await amend({ quantity: '23.21', reason: 'scale printed 23.21' });
  const { id, total_amount } = await invoiceOf(books, job.id);
  const first = await explained(id);
  const [load] = figuresOf(first, `load ${job.loads[0].load_id}`);
  const [{ id: amendment }] = await amend({ quantity: '23.21', reason: 'nothing changes' });
  const source = { type: 'TicketAmendment', id: amendment, since: expect.any(String) };
  expect(load).toMatchObject({ amount: '23.21', operation: 'latest', source: { type: 'Ticket', id: ticket.id } });
  expect(load.parts).toEqual([
    { label: 'as it was approved', amount: '22.9', operation: 'given', source },
    { label: 'amended from 22.9 Ton: scale printed 23.21', amount: '23.21', operation: 'given', source },
  ]);
  expect([total_amount, text(worth(first))]).toEqual(['172.84', '172.84']);
  // The other load was never amended.
  expect(figuresOf(first, `load ${job.loads[1].load_id}`)[0]).toMatchObject({ operation: 'given', source: { type: 'Ticket' } });
  // A unit that was keyed wrong is one, too: 20 Tonne are 22.0462 Ton.
  await amend({ quantity: '20', unitOfMeasure: 'Tonne', reason: 'printed in tonnes' });
  await books.app.settled();
  const [again] = figuresOf(await explained(id), `load ${job.loads[0].load_id}`);
  expect(again.parts.map(({ label, amount }: Json) => [label, amount])).toEqual([
    ['as it was approved', '22.9'],
    ['amended from 22.9 Ton: scale printed 23.21', '23.21'],
    ['amended from 23.21 Ton: printed in tonnes', '20'],
  ]);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('168.18');
});

test('whoever hauls for another company reads neither why its tickets were corrected nor by which conditions it chose what it pays', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, hired } = chain;
  const [ofOwner, ofMiddle] = [await billerOf(owner), await billerOf(middle)];
  const made = await rateCard(owner, 'vendor', {
    type: 'RatePerTon',
    unit_rate: 3,
    unit_minimum: 0,
    unit_increment: 0,
    account_id: hired.id,
  });
  const { id, go } = await jobOfChain(chain);
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  const ticket = await ticketed(owner, load, '10');
  await approveTicket(owner, ticket.id);
  const input = { quantity: '11', reason: 'secret of the owner' };
  expect((await owner.gql(AMEND, { id: ticket.id, input }, await owner.administrator())).errors).toBeUndefined();
  const paid = await invoiceOf({ ...books, tenant: owner, biller: ofOwner }, id, 'payable');
  const received = await invoiceOf({ ...books, tenant: middle, biller: ofMiddle }, id);
  const [theirs, ours] = [await explained(paid.id, ofOwner), await explained(received.id, ofMiddle)];
  expect([theirs.amount, ours.amount]).toEqual(['33', '33']);
  expect(figuresOf(theirs, 'rate')[0]).toMatchObject({ source: { id: made.id }, chosen: { source: 'rate_card', matched: ['account'] } });
  expect(JSON.stringify(theirs)).toContain('amended from 10 Ton: secret of the owner');
  expect(figuresOf(ours, 'rate')[0]).toMatchObject({ chosen: { source: 'link', matched: [] } });
  expect(JSON.stringify(ours)).not.toMatch(/secret|amended|TicketAmendment/);
});

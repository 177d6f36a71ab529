import { expect, test } from '@jest/globals';
import { machineToken, makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { approveLoads, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks } from './books.ts';
import { add, by, type Fraction, isAbove0, isLess, read, round, stepped, times, ZERO } from './evaluator/fractions.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** What an explanation comes to by its leaves alone. */
function worth({ operation, amount, parts = [], places }: Json): Fraction {
  const [first = ZERO, second = ZERO, ...more] = parts.map(worth) as Fraction[];
  const exact: Record<string, () => Fraction> = {
    given: () => read(amount),
    sum: () => add(first, second, ...more),
    product: () => times(first, second),
    percent: () => by(times(first, second), read(100)),
    atLeast: () => (isAbove0(first) && isLess(first, second) ? second : first),
    upTo: () => stepped(first, second),
  };
  const value = exact[operation]!();
  return places === undefined ? value : round(value, places);
}
const text = (value: Fraction): string => (Number(value.over) / Number(value.under)).toFixed(2);
const leavesOf = ({ parts = [], ...leaf }: Json): Json[] => (parts.length > 0 ? parts.flatMap(leavesOf) : [leaf]);

test('a settlement explains its total down to its invoices and charges, and they theirs down to tickets', async () => {
  const { biller, tenant } = books;
  const discount = { name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2, quantity: '1' };
  const kept = { account_type: 'customer', add_on_types: ['settlement'], total_installments: 0 };
  const assigned = await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, { ...kept, ...discount });
  const { fuel, wash, order } = await chargesOfM20(books);
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
  const settlement = await biller.must('POST', biller.path('/settlements'), { invoice_ids: invoices.map(({ id }) => id) });
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
  // The day of a price of fuel is for those who see these prices.
  const dated = async (token?: string) => {
    const { explain: tree } = await tenant.must('GET', tenant.path(`/invoices/${invoices[0].id}/explain`), undefined, token);
    return leavesOf(tree).flatMap(({ source }) => source?.date ?? []);
  };
  const rates = ['view_settlements', 'view_customer_rates', 'view_vendor_rates', 'view_driver_rates'] as const;
  expect(new Set(await dated(await machineToken(tenant, [...rates, 'view_fuel_prices'])))).toEqual(new Set(['2026-11-16']));
  expect(await dated(await machineToken(tenant, [...rates]))).toEqual([]);
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

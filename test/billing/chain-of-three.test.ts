import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../helpers/properties.ts';
import { acceptedOrder, act, drive, makeChain, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import {
  addOn,
  approveLoads,
  type Biller,
  billerOf,
  chargesOfM20,
  event,
  invoiceOf,
  linesOf,
  M10,
  makeBooks,
  rateCard,
  ticketed,
} from './books.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const cents = (text: string): number => Math.round(Number(text) * 100);
const amountsOf = async (by: Biller, id: string): Promise<string[]> => (await linesOf(by, id)).map(([, , amount]) => amount!);

type Chain = Awaited<ReturnType<typeof makeChain>>;
interface Hauled {
  id: string;
  driver: Awaited<ReturnType<StaffedTenant['person']>>;
}

/** A job of the owner that both haulers have passed on. */
async function subcontracted({ owner, middle, last, hired, subHired }: Chain, order: object, tons = M10): Promise<Hauled> {
  const { jobs } = await acceptedOrder(owner, { loads_per_truck: tons.length, ...order });
  const [{ id }] = jobs;
  const driver = await last.person({ roles: ['driver'] });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  return { id, driver };
}

/** Hauls it, with a ticket for each load. */
async function haul({ owner, last }: Chain, { id, driver }: Hauled, tons = M10): Promise<Json[]> {
  await last.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: driver.user.id });
  await last.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(driver, id, 'accept', ...shortHaul(tons.length));
  const loads: Json[] = (await owner.must('GET', `/v1/jobs/${id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  for (const [i, load] of loads.entries()) await ticketed(owner, load, tons[i]!);
  return loads;
}

test('B8 and M22: a chain of three is billed by REST alone, what each keeps adds up to what the customer pays, and one of them keeps little', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last, hired } = chain;
  const [ofOwner, ofMiddle, ofLast] = [await billerOf(owner), await billerOf(middle), await billerOf(last)];
  const scene = { ...books, tenant: owner, biller: ofOwner };
  const { fuel, wash, order } = await chargesOfM20(scene);
  const [schedule] = await owner.must('GET', owner.path('/fuel_surcharge_schedules'));
  const follows = { revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id, add_on_types: ['driver_pay'] };
  const vendorFuel = await addOn(scene, 'Fuel of vendors', follows);
  const percent = { quantity: '1', add_on_rate_type: 'RatePercentOfTotal', percentage: -8, name: 'Fee' };
  const charge = (of: StaffedTenant, account: Json, more: object) =>
    of.must('POST', `/v1/accounts/${account.id}/auto_add_on_assignments`, more);
  await charge(owner, hired, { ...percent, account_type: 'vendor', add_on_types: ['driver_pay'] });
  await charge(owner, hired, { add_on_id: vendorFuel.id, account_type: 'vendor' });
  const accounts: Json[] = await middle.must('GET', middle.path('/accounts'));
  const customer = accounts.find((one) => one.connected_company?.id === owner.company.id);
  await charge(middle, customer, { ...percent, account_type: 'customer', add_on_types: ['invoicing'] });

  // The owner's customer pays 4.25, the hauler gets 3.60, and the owner-operator 3.30.
  const pit = await owner.must('POST', '/v1/accounts', { name: 'Pit', account_types: ['vendor'], auto_accept_orders: false });
  const supply = { material_rate_buy_price: 9.8, material_rate_supplier_account_id: pit.id };
  const terms = { vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon', ...supply };
  const { id, driver } = await subcontracted(chain, { ...order, ...terms });
  for (const one of [fuel, wash]) await owner.must('POST', `/v1/jobs/${id}/add_on_charges`, { add_on_id: one.id, quantity: 1 });
  const [link] = (await middle.must('GET', middle.path(`/jobs/${id}/job_assignments`))).filter((one: Json) => one.rate_value !== undefined);
  await middle.must('PATCH', `/v1/job_assignments/${link.id}`, { rate_value: 3.3, rate_type: 'RatePerTon' });
  const loads = await haul(chain, { id, driver });
  for (const by of [ofOwner, ofMiddle, ofLast]) await approveLoads(by, { loads });
  const invoice = async (by: Biller, side: string): Promise<Json> => invoiceOf(books, id, side, by);
  const pay = await invoice(ofLast, 'payable');
  await ofLast.must('PATCH', ofLast.path(`/invoices/${pay.id}`), { rate_value: 30, rate_type: 'RateCommission' });

  const approved = async (by: Biller, side: string): Promise<Json> => {
    const { status, body } = await event(by, (await invoice(by, side)).id, 'approve');
    expect([side, status, body.error]).toEqual([side, 200, undefined]);
    return body.data;
  };
  const [bill, owed] = [await approved(ofOwner, 'receivable'), await approved(ofOwner, 'payable')];
  const [billOfMiddle, owedByMiddle] = [await approved(ofMiddle, 'receivable'), await approved(ofMiddle, 'payable')];
  const [billOfLast, paid] = [await approved(ofLast, 'receivable'), await approved(ofLast, 'payable')];

  // M10, M17, M20 and M18.
  expect((await amountsOf(ofOwner, bill.id)).toSorted()).toEqual(['102.26', '267.5', '290.13', '300.75', '93.5', '98.64']);
  expect(bill).toMatchObject({ tax_pretax_amount: '1189.56', total_amount: '1285.64' });
  expect(await amountsOf(ofOwner, owed.id)).toEqual(['83.56', '77.04', '86.62']);
  expect(owed).toMatchObject({ invoice_line_items_total_amount: '247.22', add_on_charges_total_amount: '-9.89', total_amount: '237.33' });
  // M22: what is left of it, with the material that was bought at 9.80 of who sells it. No other company of the chain reads that.
  const ofPit = `/invoices?filter[vendor_account_ids][]=${pit.id}`;
  const [bought] = await ofOwner.must('GET', ofOwner.path(ofPit));
  expect(bought).toMatchObject({ total_amount: '672.97', vendor_account: { id: pit.id } });
  expect(await ofMiddle.must('GET', ofMiddle.path(ofPit))).toEqual([]);
  expect((await ofMiddle.http('GET', ofMiddle.path(`/invoices/${bought.id}/invoice_line_items`))).status).toBe(404);
  expect(cents(bill.tax_pretax_amount) - cents(owed.total_amount) - cents(bought.total_amount)).toBe(27_926);

  // The freight of the chain of three.
  expect(billOfMiddle).toMatchObject({ invoice_line_items_total_amount: '247.22', total_amount: '227.44' });
  expect([owedByMiddle.total_amount, billOfLast.total_amount, paid.total_amount]).toEqual(['226.61', '226.61', '67.99']);
  expect(await amountsOf(ofLast, billOfLast.id)).toEqual(['76.59', '70.62', '79.4']);
  expect(await amountsOf(ofLast, paid.id)).toEqual(['22.98', '21.19', '23.82']);
  const kept = [29_440 - 22_744, cents(billOfMiddle.total_amount) - cents(owedByMiddle.total_amount), 22_661 - cents(paid.total_amount)];
  expect(kept).toEqual([6_696, 83, 15_862]);
  // B-I5: nothing is lost on the way.
  expect(kept.reduce((sum, one) => sum + one, cents(paid.total_amount))).toBe(29_440);
  // Little is left to the one in the middle, which alone is warned of it.
  const WARNINGS = 'query($id: ID!) { invoice(id: $id) { warnings } }';
  const warnings: unknown[] = [];
  for (const [of, one] of [
    [owner, bill],
    [middle, billOfMiddle],
    [last, billOfLast],
  ] as const)
    warnings.push((await of.gql(WARNINGS, { id: one.id }, await of.administrator())).data.invoice.warnings);
  expect(warnings).toEqual([[], ['thin_margin'], []]);

  // It is settled, sent, agreed to and paid; nobody reads what the others keep.
  const settlement = await settle({ biller: ofMiddle }, [billOfMiddle]);
  const does = (by: Biller, name: string) => by.must('PUT', by.path(`/settlements/${settlement.id}/${name}`), {});
  await does(ofMiddle, 'approve');
  await does(ofMiddle, 'send_settlement');
  const [received] = await ofOwner.must('GET', ofOwner.path('/settlements/payables?filter[received]=true'));
  expect(received).toMatchObject({ id: settlement.id, total_amount: '227.44' });
  expect((await ofOwner.must('PUT', `/v1/settlements/${settlement.id}/customer_approve`, {})).state).toBe('customer_approved');
  expect((await does(ofMiddle, 'pay')).state).toBe('paid');
  for (const [by, one] of [
    [ofMiddle, bill],
    [ofMiddle, owed],
    [ofOwner, owedByMiddle],
    [ofOwner, paid],
    [ofLast, billOfMiddle],
  ] as const)
    expect((await by.http('GET', by.path(`/invoices/${one.id}/invoice_line_items`))).status).toBe(404);
});

type Rated = { type: string; value: string; minimum: string };

test('B-I5: whatever rates, minimums and fees a chain has, its margins and what is paid last are what the customer pays', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last, hired } = chain;
  const billers = [await billerOf(owner), await billerOf(middle), await billerOf(last)] as const;
  const accounts: Json[] = await middle.must('GET', middle.path('/accounts'));
  const customer = accounts.find((one) => one.connected_company?.id === owner.company.id);
  const fee = { quantity: '1', add_on_rate_type: 'RatePercentOfTotal', name: 'Fee', percentage: 0 };
  const charge = (of: StaffedTenant, account: Json, more: object) =>
    of.must('POST', `/v1/accounts/${account.id}/auto_add_on_assignments`, { ...fee, ...more });
  const fees = [
    await charge(owner, hired, { account_type: 'vendor', add_on_types: ['driver_pay'] }),
    await charge(middle, customer, { account_type: 'customer', add_on_types: ['invoicing'] }),
  ];
  const decimal = (min: number, max: number) => fc.integer({ min: min * 10_000, max: max * 10_000 }).map((n) => String(n / 10_000));
  const terms = fc.oneof(
    fc.record({ type: fc.constant('RatePerTon'), value: decimal(0, 30), minimum: fc.constantFrom('0', '12', '22.5') }),
    fc.record({ type: fc.constantFrom('RatePerLoad', 'RateFlatRate'), value: decimal(0, 900), minimum: fc.constant('0') }),
  );
  const below = fc.oneof(terms, fc.record({ type: fc.constant('RateCommission'), value: decimal(0, 100), minimum: fc.constant('0') }));
  const chains = fc.record({
    ...{ customer: terms, vendor: below, link: terms, driver: below, percentage: decimal(-20, 20) },
    tons: fc.array(decimal(0, 30), { minLength: 1, maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(chains, async ({ customer: billed, vendor, link, driver: paid, percentage, tons }) => {
      for (const { id } of fees)
        await (id === fees[0].id ? owner : middle).must('PATCH', `/v1/auto_add_on_assignments/${id}`, { percentage });
      const byTon = ({ value, minimum }: Rated) => ({
        type: 'RatePerTon',
        unit_rate: value,
        unit_minimum: minimum,
        unit_increment: 0,
      });
      const rated = async (side: string, of: Rated) =>
        of.type === 'RatePerTon'
          ? { [`${side}_rate_id`]: (await rateCard(owner, side, byTon(of))).id }
          : { [`${side}_rate_value`]: of.value, [`${side}_rate_type`]: of.type };
      const job = await subcontracted(chain, { ...(await rated('customer', billed)), ...(await rated('vendor', vendor)) }, tons);
      const [own] = (await middle.must('GET', middle.path(`/jobs/${job.id}/job_assignments`))).filter(
        (one: Json) => one.rate_value !== undefined,
      );
      await middle.must('PATCH', `/v1/job_assignments/${own.id}`, { rate_value: link.value, rate_type: link.type });
      const loads = await haul(chain, job, tons);
      for (const by of billers) await approveLoads(by, { loads });
      const invoice = (by: Biller, side: string): Promise<Json> => invoiceOf(books, job.id, side, by);
      const { id } = await invoice(billers[2], 'payable');
      await billers[2].must('PATCH', billers[2].path(`/invoices/${id}`), { rate_value: paid.value, rate_type: paid.type });
      for (const total of ['invoice_line_items_total_amount', 'total_amount']) {
        const amounts: [owed: number, owes: number][] = [];
        for (const by of billers)
          amounts.push([cents((await invoice(by, 'receivable'))[total]), cents((await invoice(by, 'payable'))[total])]);
        // Each link is the same in the books of both, so nothing is lost on the way.
        expect(amounts.slice(1).map(([owed]) => owed)).toEqual(amounts.slice(0, -1).map(([, owes]) => owes));
        const margins = amounts.reduce((sum, [owed, owes]) => sum + owed - owes, 0);
        expect(margins + amounts.at(-1)![1]).toBe(amounts[0]![0]);
      }
    }),
    { numRuns: runs(4), endOnFailure: true },
  );
});

test('a part that was sent is compared with the same part of what the customer owes', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  const [ofOwner, ofMiddle] = [await billerOf(owner), await billerOf(middle)];
  const job = await subcontracted(chain, { vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon' });
  const loads = await haul(chain, job);
  await approveLoads(ofMiddle, { loads });
  const [bill, owed] = [await invoiceOf(books, job.id, 'receivable', ofMiddle), await invoiceOf(books, job.id, 'payable', ofOwner)];
  const part = await ofMiddle.must('POST', ofMiddle.path(`/invoices/${bill.id}/split`), { load_ids: [loads[2].id] });
  for (const { id } of [bill, part])
    for (const name of ['approve', 'send_invoice']) expect((await event(ofMiddle, id, name)).status).toBe(200);
  const MATCH = 'query($id: ID!) { invoice(id: $id) { match { receivedInvoiceId theirTotalAmount lines { loadId result } } } }';
  const { data } = await ofOwner.gql(MATCH, { id: owed.id });
  const results = data.invoice.match.lines.map(({ loadId, result }: Json) => [loadId, result]);
  expect([data.invoice.match.receivedInvoiceId, data.invoice.match.theirTotalAmount]).toEqual([bill.id, '160.6']);
  expect(new Map(results)).toEqual(
    new Map([
      [loads[0].id, 'equal'],
      [loads[1].id, 'equal'],
      [loads[2].id, 'only_ours'],
    ]),
  );
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { billDemo } from '../../src/demo/billing/bill.ts';
import { startDemoBilling } from '../../src/demo/billing/start-billing.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { localDate, localToInstant } from '../../src/platform/time.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { keysThatLeadOut, LEADS_OUT } from '../platform/database/company-keys.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ demo: true, invoices: true });
  await app.settled();
});
afterAll(() => app.close());

const tokenOf = async (role: string): Promise<string> => {
  const { email, password } = app.access!.users.find((one) => one.role === role)!;
  return (await app.http('POST', '/v1/auth/login', { body: { email, password } })).body.data.session_jwt;
};
const askAs = async (token: string, query: string, variables: object = {}): Promise<Json> => {
  const { body } = await app.graphql(query, variables as Record<string, unknown>, { token });
  expect(body.errors).toBeUndefined();
  return body.data;
};
const sql = async (of: TestApp, text: string): Promise<Json[]> => (await (await poolOf(of.orm.em.fork())).query(text)).rows;

const SETTLEMENTS = `query($company: ID) { settlements(first: 50, companyId: $company) { nodes {
  id state side totalAmount rebillTotalAmount differenceTotalAmount driver { lastName } customerAccount { name } vendorAccount { name } } } }`;

test('a foreign key leads to a record of the same company, or is listed as one that does not', async () => {
  const found = await keysThatLeadOut(app);
  expect(found.filter((name) => !LEADS_OUT[name])).toEqual([]);
  // The list is no wish: the chain of three and its books show most of it.
  expect(found.length).toBeGreaterThan(8);
});

test('two weeks of the demo are billed: settlements in each state, the worked example and its rebill, and a chain of three', async () => {
  const token = await tokenOf('company_admin');
  const { own, companies } = await askAs(token, '{ own: company { id } companies(first: 9) { nodes { id legalName } } }');
  const of = (name: string) => companies.nodes.find(({ legalName }: Json) => legalName.includes(name)).id;
  const settled = async (company: string): Promise<Json[]> => (await askAs(token, SETTLEMENTS, { company })).settlements.nodes;
  const all = await settled(own.id);
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['pending', 'approved', 'paid', 'voided']));
  // M21 and M23.
  const lakeline = all.filter(({ customerAccount }) => customerAccount?.name === 'Lakeline Concrete');
  expect(lakeline.map(({ state, totalAmount, rebillTotalAmount }) => [state, totalAmount, rebillTotalAmount]).sort()).toEqual([
    ['approved', '1718.08', '1737.18'],
    ['voided', '1718.08', null],
  ]);
  // M17: the pit is owed the material of the same loads at what it sells it for.
  expect(all.filter(({ vendorAccount }) => vendorAccount?.name === 'Onion Creek Sand Pit')).toMatchObject([
    { side: 'payable', state: 'approved', totalAmount: '672.97' },
  ]);
  // The rate that was corrected is that of freight; material costs what it did.
  const corrected = lakeline.find(({ state }) => state === 'approved');
  const { settlementLineItems } = await askAs(
    token,
    'query($id: ID!) { settlementLineItems(settlementId: $id, settlementLineItemType: load) { lineItems { lineItemType rateValue rebillRateValue totalAmount rebillTotalAmount } } }',
    { id: corrected.id },
  );
  const ofLoad = settlementLineItems
    .flatMap(({ lineItems }: Json) => lineItems)
    .filter(({ totalAmount }: Json) => ['98.64', '290.13'].includes(totalAmount));
  expect(ofLoad).toEqual([
    { lineItemType: 'FreightRateLineItem', rateValue: '4.25', rebillRateValue: '4.5', totalAmount: '98.64', rebillTotalAmount: '104.45' },
    { lineItemType: 'MaterialRateLineItem', rateValue: '12.5', rebillRateValue: null, totalAmount: '290.13', rebillTotalAmount: '290.13' },
  ]);
  // The chain of three of B8: what each company gets, what it pays, and what is left of it.
  const chained = async (company: string) => {
    const { invoices } = await askAs(
      token,
      'query($company: ID) { invoices(first: 100, companyId: $company) { nodes { side totalAmount state jobJobIds } } }',
      { company },
    );
    const sum = (side: string) =>
      invoices.nodes
        .filter((one: Json) => one.side === side && one.jobJobIds.includes('22-1'))
        .map(({ totalAmount }: Json) => totalAmount)
        .join();
    return [sum('receivable'), sum('payable')];
  };
  expect([await chained(own.id), await chained(of('South')), await chained(of('North'))]).toEqual([
    ['294.4', '227.44'],
    ['227.44', '226.61'],
    ['226.61', '67.99'],
  ]);
  const states = [...(await settled(of('South'))), ...(await settled(of('North')))].map(({ side, state }) => `${side} ${state}`);
  expect(states.sort()).toEqual(['payable paid', 'payable pending', 'receivable customer_approved', 'receivable customer_pending']);
  // The work that cannot be billed yet says why.
  const { blockedInvoices } = await askAs(token, '{ blockedInvoices(first: 100) { nodes { blockers jobJobIds } } }');
  const blockers = new Set(blockedInvoices.nodes.flatMap((one: Json) => one.blockers));
  for (const code of ['missing_quantity', 'load_not_approved', 'job_not_finished']) expect(blockers).toContain(code);

  // The driver who is paid by commission reads what he is paid, and nothing of customers.
  const mine = (await askAs(await tokenOf('driver'), SETTLEMENTS)).settlements.nodes;
  expect(mine.map(({ side, driver }: Json) => `${side} ${driver.lastName}`)).toEqual(Array(3).fill('payable Castillo'));
  expect(mine.map(({ totalAmount }: Json) => totalAmount).sort()).toEqual(['252.54', '292.94', '331.61']);

  // Done once, also if it is started again.
  await billDemo(app.productOrm.em);
  expect(await settled(own.id)).toHaveLength(all.length);
});

const PAST = `select 'invoice' as what from invoice where created_at > $1 or billing_approved_at > $1
  union all select 'settlement' from settlement where created_at > $1 or billing_approved_at > $1 or voided_at > $1 or sent_at > $1
  union all select 'audit' from audit_entry where created_at > $1 and subject_type in ('Invoice', 'Settlement')
  union all select 'price' from fuel_price where date > $1::date union all select 'approval' from approval_assignment where created_at > $1`;

test("at 2 o'clock, nothing of it happened in the future, and nothing was approved before it was there", async () => {
  const other = await startTestApp();
  try {
    const yesterday = localDate(new Date(Date.now() - 86_400_000), 'America/Chicago');
    const now = localToInstant(`${yesterday}T02:30:00`, 'America/Chicago')!;
    await seedDemo(other.productOrm.em, now);
    // Whoever stops the product does not wait for it: nothing of it is there then, and the next start begins anew.
    const failed: unknown[] = [];
    await startDemoBilling({ em: other.productOrm.em, log: { error: (fields: unknown) => failed.push(fields) } }).stop();
    expect([failed, await sql(other, 'select id from settlement union all select id from invoice')]).toEqual([[], []]);
    await billDemo(other.productOrm.em, now);
    expect(await sql(other, PAST.replaceAll('$1', `'${now.toISOString()}'::timestamptz`))).toEqual([]);
    const early = await sql(
      other,
      `select invoice_id from invoice i join job j on j.id = i.job_id where i.billing_approved_at < i.created_at or i.created_at < j.created_at
       union all select id::text from settlement where billing_approved_at < created_at`,
    );
    expect(early).toEqual([]);
    expect(await sql(other, 'select count(*)::int as count from settlement')).toEqual([{ count: 16 }]);
  } finally {
    await other.close();
  }
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../helpers/properties.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Books, billerOf, event, hauled, invoiceOf, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks();
/** Installments of the lease. */
const TIMES = 3;

/** An approved invoice, and what has to be the same of all invoices of a settlement. */
interface Settled {
  id: string;
  jobId: string;
  orderId: string;
  books: string;
}

/**
 * Approved invoices that belong together, and that do not: two of a customer, one of another one, one of it in another currency, and the pay of the
 * driver for two of the jobs.
 */
async function scene(): Promise<{ books: Books; invoices: Settled[]; leased: Json }> {
  const tenant = await makeStaffedTenant(shared.app);
  const books = { app: shared.app, tenant, biller: await billerOf(tenant) };
  const { biller } = books;
  const account = (name: string): Promise<Json> => tenant.must('POST', '/v1/accounts', { name, account_types: ['customer'] });
  const [quarry, pit] = [await account('Quarry'), await account('Pit')];
  await tenant.must('POST', `/v1/accounts/${quarry.id}/auto_add_on_assignments`, {
    ...{ account_type: 'customer', add_on_types: ['settlement'], name: 'Lease', quantity: '1' },
    ...{ revenue_rate_value: 5, total_installments: TIMES },
  });
  const admin = await tenant.administrator();
  const invoices: Settled[] = [];
  const add = async (job: Json, side: string, of: string) => {
    const { id } = await invoiceOf(books, job.id, side);
    expect((await event(biller, id, 'approve')).status).toBe(200);
    invoices.push({ id, jobId: job.id, orderId: job.order.id, books: of });
  };
  for (const [customer, tons, paid, currency] of [
    [quarry, '10', true, ''],
    [quarry, '5', true, ''],
    [pit, '7', false, ''],
    [quarry, '3', false, 'other'],
  ] as const) {
    const order = { account_id: customer.id, customer_rate_value: 2, customer_rate_type: 'RatePerTon' };
    const job = await hauled(books, [tons], { order: { ...order, driver_rate_value: 100, driver_rate_type: 'RateFlatRate' } });
    await approveLoads(biller, job);
    await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
    await add(job, 'receivable', `receivable ${customer.name} ${currency}`);
    if (paid) await add(job, 'payable', 'payable driver');
  }
  // The books of a company are in one currency as long as there are invoices, so nothing but its records can say another one.
  const foreign = invoices.find(({ books }) => books.endsWith('other'))!;
  await shared.app.orm.em.execute(`update invoice set currency = case currency when 'USD' then 'CAD' else 'USD' end where id = ?`, [
    foreign.id,
  ]);
  return { books, invoices, leased: quarry };
}

/** The faults of the settlements in the books of a company, by the rows themselves. */
const WRONG = `select 'in two settlements: ' || x.invoice_id as wrong from settlement_invoice x join settlement s on s.id = x.settlement_id
    where s.company_id = ? and s.state <> 'voided' group by x.invoice_id having count(*) > 1
  union all select 'apart from its invoices: ' || s.id from settlement s join settlement_invoice x on x.settlement_id = s.id join invoice i on i.id = x.invoice_id
    where s.company_id = ? and (s.side, s.currency) is distinct from (i.side, i.currency)
  union all select 'of another party: ' || s.id from settlement s join settlement_invoice x on x.settlement_id = s.id join invoice i on i.id = x.invoice_id
    where s.company_id = ? and case s.side when 'receivable' then s.customer_account_id is distinct from i.customer_account_id
      else s.driver_id is distinct from i.payee_driver_id or s.vendor_account_id is distinct from i.vendor_account_id end`;
const CHARGED = `select count(*)::int as count from settlement s join add_on_charge c on c.add_on_applicable_id = s.id
  where s.company_id = ? and s.state <> 'voided' and c.name = 'Lease'`;
const SETTLEMENTS = '{ settlements(first: 100) { nodes { id state side invoicesTotalAmount } } }';
const INVOICES = `{ invoices(first: 100) { nodes { id state totalAmount side billingApprovedAt job { id } } }
  settled: invoices(filter: { grouped: true }) { count { value } } }`;

test('B-I3, B-I6, B-I7, B-I13, B-I14: whatever is done to a settlement, it is taken back exactly, and invoices and installments are in one that lives', async () => {
  const { books, invoices, leased } = await scene();
  const { app, biller, tenant } = books;
  const rows = async (sql: string): Promise<Json[]> => {
    const values = Array.from({ length: sql.split('?').length - 1 }, () => tenant.company.id);
    return app.orm.em.execute(sql, values);
  };
  const ask = async (query: string): Promise<Json> => {
    const { data, errors } = await biller.gql(query);
    expect(errors).toBeUndefined();
    return data;
  };
  const billed = ({ invoices: all }: Json) => all.nodes.map(({ id, state, totalAmount }: Json) => [id, state, totalAmount]).sort();
  const before = billed(await ask(INVOICES));
  const read = (id: string): Promise<Json> => biller.must('GET', biller.path(`/settlements/${id}`));
  const put = (id: string, name: string) => biller.http('PUT', biller.path(`/settlements/${id}/${name}`), {});
  const plain = async (id: string) => {
    const { updated_at: _updated, version: _version, ...rest } = await read(id);
    return rest;
  };
  /** Does something and its opposite. */
  const andBack = async (id: string, name: string, back: string) => {
    const was = await plain(id);
    const { status } = await put(id, name);
    if (status !== 200) return;
    expect((await put(id, back)).status).toBe(200);
    expect(await plain(id)).toEqual(was);
  };
  /** How often something happened that a run is about. */
  const happened = { settled: 0, apart: 0, twice: 0, rebilled: 0, undone: 0 };
  const settleSome = async (n: number) => {
    const some = invoices.filter((_, i) => (n >> i) & 1);
    const chosen = some.length > 0 ? some : [invoices[n % invoices.length]!];
    const { status } = await biller.http('POST', biller.path('/settlements'), { invoice_ids: chosen.map(({ id }) => id) });
    const together = new Set(chosen.map((one) => one.books)).size === 1;
    expect(together ? [201, 422] : [422]).toContain(status);
    happened[status === 201 ? 'settled' : together ? 'twice' : 'apart']++;
  };
  const names = ['settle', 'settle one', 'settle two', 'approve', 'void', 'rebill', 'approve and back', 'pay and back'] as const;
  const command = fc.tuple(fc.constantFrom(...names), fc.nat(1_000));
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 8 }), async (commands) => {
      for (const [name, n] of commands) {
        const { settlements } = await ask(SETTLEMENTS);
        // Nothing is done to a voided one but that it is billed anew, which is done to no other one.
        const apt = settlements.nodes.filter(({ state }: Json) => (state === 'voided') === (name === 'rebill'));
        const one = apt[n % Math.max(apt.length, 1)];
        if (name === 'settle') await settleSome(n % 64);
        else if (name === 'settle one') await settleSome(1 << (n % invoices.length));
        // Those that belong together: of a customer, and of the driver.
        else if (name === 'settle two') await settleSome(n % 2 ? 0b000101 : 0b001010);
        else if (one && name === 'rebill') {
          const { status, body } = await biller.http('POST', biller.path(`/settlements/${one.id}/rebill`), {});
          // No rate was changed: it comes to the same, apart from installments that are used up.
          if (status < 300) {
            happened.rebilled++;
            expect((await read(body.data.id)).invoices_total_amount).toBe(one.invoicesTotalAmount);
          }
        } else if (one && name === 'approve and back') await andBack(one.id, 'approve', 'unapprove');
        else if (one && name === 'pay and back') await andBack(one.id, 'pay', 'undo_pay');
        else if (one) {
          const { status } = await put(one.id, name);
          if (name === 'void' && status === 200) happened.undone++;
        }
        const [wrong, charged, [assigned]] = await Promise.all([
          rows(WRONG),
          rows(CHARGED),
          tenant.must('GET', `/v1/accounts/${leased.id}/auto_add_on_assignments`),
        ]);
        const { auto_add_on_installments_count: count } = assigned;
        expect([wrong, charged, count <= TIMES]).toEqual([[], [{ count }], true]);
      }
      const { settlements } = await ask(SETTLEMENTS);
      const { invoices: shown, settled } = await ask(INVOICES);
      const live = settlements.nodes.filter(({ state }: Json) => state !== 'voided');
      // The filter counts what is settled as the settlements do.
      const taken = new Set<string>();
      for (const { id } of live)
        for (const invoice of await biller.must('GET', biller.path(`/settlements/${id}/invoices`))) taken.add(invoice.id);
      expect(settled.count.value).toBe(taken.size);
      // An order counts its invoices as the list does.
      for (const { orderId, jobId } of invoices) {
        const { order_summary: summary } = await biller.must('GET', `/v1/orders/${orderId}`);
        const of = shown.nodes.filter((each: Json) => each.job.id === jobId && each.side === 'receivable' && each.state !== 'voided');
        const approved = of.filter(({ billingApprovedAt }: Json) => billingApprovedAt);
        expect([summary.total_receivables, summary.approved_receivables]).toEqual([of.length, approved.length]);
      }
      for (const { id } of live) expect((await put(id, 'void')).status).toBe(200);
      expect(billed(await ask(INVOICES))).toEqual(before);
    }),
    { numRuns: runs(10), endOnFailure: true },
  );
  // A run that does nothing proves nothing.
  for (const [what, times] of Object.entries(happened)) expect([what, times > 0]).toEqual([what, true]);
});

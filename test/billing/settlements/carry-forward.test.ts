import { expect, test } from '@jest/globals';
import { event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** An approved payable of the driver. */
async function pay(flat: number): Promise<Json> {
  const job = await hauled(books, ['1'], { order: { driver_rate_value: flat, driver_rate_type: 'RateFlatRate' } });
  await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/approve`), {}, await books.tenant.administrator());
  const payable = await invoiceOf(books, job.id, 'payable');
  expect((await event(books.biller, payable.id, 'approve')).status).toBe(200);
  return payable;
}

test('what a driver owes is carried over to the next settlement, once, and both name each other', async () => {
  const { biller, tenant } = books;
  const act = (id: string, name: string) => biller.http('PUT', biller.path(`/settlements/${id}/${name}`), {});
  const read = (id: string): Promise<Json> => biller.must('GET', biller.path(`/settlements/${id}`));
  const first = await settle(books, [await pay(412.3)]);
  const loan = { name: 'Advance', quantity: 1, revenue_rate_value: -650 };
  await biller.must('POST', biller.path(`/settlements/${first.id}/add_on_charges`), loan);
  expect((await read(first.id)).total_amount).toBe('-237.7');
  // Only what is approved is paid.
  expect((await act(first.id, 'carry_forward')).status).toBe(409);
  await act(first.id, 'approve');
  const carried = await act(first.id, 'carry_forward');
  expect([carried.status, carried.body.data?.state]).toEqual([200, 'paid']);
  expect((await act(first.id, 'undo_pay')).body.data.state).toBe('approved');
  await act(first.id, 'carry_forward');

  const owed = await pay(1000);
  const next = await settle(books, [owed]);
  expect(next).toMatchObject({ invoices_total_amount: '1000', add_on_charges_total_amount: '-237.7', total_amount: '762.3' });
  const charges = biller.path(`/settlements/${next.id}/add_on_charges`);
  const [balance] = await biller.must('GET', charges);
  expect(balance).toMatchObject({ name: `Balance of ${first.settlement_id}`, total_amount: '-237.7' });
  const changed = await biller.http('PATCH', charges, { add_on_charges: [{ id: balance.id, _destroy: 1 }] });
  expect(changed.status).toBe(422);
  const asked = `query($id: ID!, $next: ID!) { settlement(id: $id) { carriedForwardAt balanceCarriedTo { id } }
    settlementAddOnCharges(settlementId: $next) { nodes { balanceOf { id } } } }`;
  const { data } = await tenant.gql(asked, { id: first.id, next: next.id }, biller.token);
  expect(data).toEqual({
    settlement: { carriedForwardAt: expect.any(String), balanceCarriedTo: { id: next.id } },
    settlementAddOnCharges: { nodes: [{ balanceOf: { id: first.id } }] },
  });
  const refused = await act(first.id, 'undo_pay');
  expect([refused.status, messages(refused)]).toEqual([409, ['was carried forward, and another settlement charges it; void that first']]);
  // Nothing is charged twice; what was voided is charged by the next one.
  expect((await settle(books, [await pay(10)])).total_amount).toBe('10');
  await act(next.id, 'void');
  expect((await settle(books, [owed])).total_amount).toBe('762.3');
  expect((await biller.http('POST', biller.path(`/settlements/${next.id}/rebill`))).status).toBe(422);
  await act(next.id, 'approve');
  const bill = await settle(books, [await pay(5)]);
  await act(bill.id, 'approve');
  const positive = await act(bill.id, 'carry_forward');
  expect([positive.status, positive.body.error.errors[0].field]).toEqual([409, 'total_amount']);
});

test('a balance is charged again only while it is owed, at what it comes to by then', async () => {
  const { biller } = books;
  const act = (id: string, name: string) => biller.must('PUT', biller.path(`/settlements/${id}/${name}`), {});
  const chargesOf = (id: string): Promise<Json[]> => biller.must('GET', biller.path(`/settlements/${id}/add_on_charges`));
  const again = (id: string, how: 'rebill' | 'correct') =>
    biller.must('POST', biller.path(`/settlements/${id}/${how}`), how === 'rebill' ? {} : { reason: 'again', changes: [] });
  const first = await settle(books, [await pay(100)]);
  const loan = await biller.must('POST', biller.path(`/settlements/${first.id}/add_on_charges`), {
    ...{ name: 'Advance', quantity: 1, revenue_rate_value: -150 },
  });
  for (const name of ['approve', 'carry_forward']) await act(first.id, name);
  const next = await settle(books, [await pay(1000)]);
  expect(next.total_amount).toBe('950');
  // Corrected, it charges what it charged.
  const corrected = await again(next.id, 'correct');
  expect(corrected).toMatchObject({ total_amount: '950', difference_total_amount: '0' });
  // It was more that was owed.
  await act(corrected.id, 'void');
  for (const name of ['undo_pay', 'unapprove']) await act(first.id, name);
  await biller.must('PATCH', `/v1/add_on_charges/${loan.id}`, { revenue_rate_value: -175 });
  for (const name of ['approve', 'carry_forward']) await act(first.id, name);
  const anew = await again(corrected.id, 'rebill');
  expect(anew).toMatchObject({ total_amount: '925', rebill_total_amount: '925' });
  // The payment is taken back: the payee owes it by the first one again, and not twice.
  await act(anew.id, 'void');
  await act(first.id, 'undo_pay');
  const without = await again(anew.id, 'rebill');
  expect([without.total_amount, await chargesOf(without.id)]).toEqual(['1000', []]);
  // Carried forward once more, it is on the next one alone, in accounting as it was in the first.
  await act(first.id, 'carry_forward');
  const last = await settle(books, [await pay(500)]);
  expect(last.total_amount).toBe('425');
  await act(last.id, 'approve');
  const admin = await books.tenant.administrator();
  const file = await fetch(
    `${books.app.url}${books.tenant.path('/accounting_file')}?format=xero&settlement_ids[]=${first.id}&settlement_ids[]=${last.id}`,
    { headers: { Authorization: `Bearer ${admin}` } },
  );
  const rows = (await file.text()).trim().split('\n').slice(1);
  const amounts = (number: string) =>
    rows
      .filter((row) => row.includes(number))
      .map((row) =>
        row
          .split(',')
          .filter((cell) => /^-?[1-9][0-9.]*$/.test(cell))
          .join(' '),
      );
  expect([file.status, amounts(first.settlement_id).length, amounts(last.settlement_id).length]).toEqual([200, 2, 1]);
  expect(rows.join()).not.toContain('Balance of');
});

import { expect, test } from '@jest/globals';
import { approveLoads, event, hauled, invoiceOf, makeBooks, withMinimum } from '../billing/books.ts';
import { approvedInvoice, settle } from '../billing/settled.ts';
import { accountOf, type Json, merged, siteOf, undo } from './merging.ts';

const books = makeBooks();
const rowOf = async (table: string, id: string): Promise<Json> => {
  const [row] = await books.app.orm.em.fork().getConnection().execute(`select to_jsonb(t) as row from "${table}" t where id = ?`, [id]);
  return (row as Json).row;
};

test('closed money names the record that stays, and nothing else of it changes', async () => {
  const { tenant } = books;
  const [customer, pit] = [await accountOf(tenant, { name: 'Paid by' }), await siteOf(tenant, { name: 'Old pit' })];
  const order = {
    ...(await withMinimum(tenant)),
    account_id: customer.id,
    waypoints: [
      { type: 'pickup', site_id: pit.id, ordinality: 0 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
    ],
  };
  const approved = await approvedInvoice(books, ['23.21'], { order });
  const settlement = await settle(books, [await approvedInvoice(books, ['21.4'], { order })]);
  const open = await hauled(books, ['24.06'], { order });
  await approveLoads(books.biller, open);
  const pending = await invoiceOf(books, open.id);
  const closed = [
    ['invoice', approved.id],
    ['settlement', settlement.id],
  ] as const;
  const before = await Promise.all(closed.map(([table, id]) => rowOf(table, id)));
  const ofCustomer = await merged(tenant, 'accounts', tenant.account.id, [customer.id]);
  const ofPit = await merged(tenant, 'sites', tenant.pickup.id, [pit.id]);
  await books.app.settled();
  const after = await Promise.all(closed.map(([table, id]) => rowOf(table, id)));
  expect(before[0]).toMatchObject({ customer_account_id: customer.id, pickup_site_id: pit.id, state: 'approved' });
  expect(after[0]).toEqual({ ...before[0], customer_account_id: tenant.account.id, pickup_site_id: tenant.pickup.id });
  expect(after[1]).toEqual({ ...before[1], customer_account_id: tenant.account.id });
  // They are in the lists of the customer who stays, also by the former id.
  for (const id of [tenant.account.id, customer.id]) {
    const found: Json[] = await books.biller.must('GET', books.biller.path(`/invoices?filter[customer_account_ids]=${id}&page[limit]=100`));
    expect(found.map((one) => one.id)).toEqual(expect.arrayContaining([approved.id, pending.id]));
  }
  // An open invoice goes on, and is approved for the customer who stays.
  const { status, body } = await event(books.biller, pending.id, 'approve');
  expect([status, body.error]).toEqual([200, undefined]);
  expect(await rowOf('invoice', pending.id)).toMatchObject({ customer_account_id: tenant.account.id, total_amount: 102.26 });
  for (const { id } of [ofPit, ofCustomer]) expect((await undo(tenant, id)).status).toBe(200);
  expect(await Promise.all(closed.map(([table, id]) => rowOf(table, id)))).toEqual(before);
});

test('a merge is not undone while what it moved is settled with what was there before', async () => {
  const { tenant, biller } = books;
  const customer = await accountOf(tenant, { name: 'Settled together' });
  const terms = await withMinimum(tenant);
  const theirs = await approvedInvoice(books, ['22'], { order: { ...terms, account_id: customer.id } });
  const own = await approvedInvoice(books, ['23'], { order: terms });
  const merge = await merged(tenant, 'accounts', tenant.account.id, [customer.id]);
  const settlement = await settle(books, [theirs, own]);
  const refused = await undo(tenant, merge.id);
  expect([refused.status, refused.body.error.errors[0].message]).toEqual([409, expect.stringContaining('were settled since')]);
  expect(await rowOf('invoice', theirs.id)).toMatchObject({ customer_account_id: tenant.account.id });
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  expect((await undo(tenant, merge.id)).status).toBe(200);
  expect(await rowOf('invoice', theirs.id)).toMatchObject({ customer_account_id: customer.id });
});

test('how an account is billed goes with it, and what is open is billed so, until it is undone', async () => {
  const { tenant, biller } = books;
  const [kept, customer] = [await accountOf(tenant, { name: 'Bills plainly' }), await accountOf(tenant, { name: 'Wants orders' })];
  const profileOf = ({ id }: Json) => biller.path(`/accounts/${id}/billing_profile`);
  await biller.must('PATCH', profileOf(customer), { po_required: true, terms_days: 45 });
  const job = await hauled(books, ['22'], { order: { ...(await withMinimum(tenant)), account_id: kept.id } });
  await approveLoads(biller, job);
  const { id } = await invoiceOf(books, job.id);
  const blockers = async (): Promise<string[]> => {
    await books.app.settled();
    return (await tenant.gql('query ($id: ID!) { invoice(id: $id) { blockers } }', { id }, biller.token)).data.invoice.blockers;
  };
  expect(await blockers()).toEqual([]);
  const merge = await merged(tenant, 'accounts', kept.id, [customer.id]);
  expect(await biller.must('GET', profileOf(kept))).toMatchObject({ po_required: true, terms_days: 45 });
  expect(await blockers()).toEqual(['po_missing']);
  expect((await undo(tenant, merge.id)).status).toBe(200);
  expect(await blockers()).toEqual([]);
  expect(await biller.must('GET', profileOf(kept))).toMatchObject({ po_required: false, terms_days: null });
  expect(await biller.must('GET', profileOf(customer))).toMatchObject({ po_required: true, terms_days: 45 });
  // That of the account that stays counts, and the other one is put aside.
  await biller.must('PATCH', profileOf(kept), { terms_days: 10 });
  const again = await merged(tenant, 'accounts', kept.id, [customer.id]);
  expect(await biller.must('GET', profileOf(kept))).toMatchObject({ po_required: false, terms_days: 10 });
  expect((await undo(tenant, again.id)).status).toBe(200);
  expect(await biller.must('GET', profileOf(customer))).toMatchObject({ po_required: true, terms_days: 45 });
});

test('both bills of one number are those of the vendor who stays, until the merge is undone', async () => {
  const { tenant, biller } = books;
  const vendors: Json[] = [];
  for (const name of ['Redi Haul', 'Redi-Haul Inc', 'Redi Haul LLC'])
    vendors.push(await accountOf(tenant, { name, accountTypes: ['vendor'] }));
  const [kept, former, third] = vendors;
  const path = biller.path('/billing/vendor_bills');
  const send = ({ id }: Json, number: string, amount: number) =>
    biller.http('POST', path, { vendor_account_id: id, number, lines: [{ ticket_number: `${number}-1`, amount }] });
  const bill = async (...args: Parameters<typeof send>): Promise<Json> => {
    const { status, body } = await send(...args);
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data;
  };
  const [own, same, other, last] = [
    await bill(kept, 'No. 17', 5),
    await bill(former, 'NO. 17', 7),
    await bill(former, '18', 9),
    await bill(third, 'no. 17', 11),
  ];
  const billed = async ({ id }: Json): Promise<string[]> => {
    const found: Json[] = await biller.must('GET', `${path}?page[limit]=100`);
    return found.filter((one) => one.vendor_account.id === id).map((one) => one.id);
  };
  const ids = (...bills: Json[]) => expect.arrayContaining(bills.map((one) => one.id));
  // The one who is merged first has another's bill by then.
  const first = await merged(tenant, 'accounts', former.id, [third.id]);
  const merge = await merged(tenant, 'accounts', kept.id, [former.id]);
  const found = await billed(kept);
  expect([found, found.length]).toEqual([ids(own, same, other, last), 4]);
  for (const { id } of [own, same, other, last]) expect((await biller.must('GET', `${path}/${id}`)).vendor_account.id).toBe(kept.id);
  // No bill is entered twice, also if the vendor's own one is gone.
  const refused = async (number: string) => {
    const { status, body } = await send(kept, number, 1);
    return [status, body.error?.errors?.map(({ field }: Json) => field)];
  };
  expect(await refused('no. 17')).toEqual([422, ['number']]);
  expect((await biller.http('DELETE', `${path}/${own.id}`)).status).toBe(204);
  expect(await refused('No. 17')).toEqual([422, ['number']]);
  expect((await undo(tenant, merge.id)).status).toBe(200);
  expect(await billed(kept)).toEqual([]);
  expect(await billed(former)).toEqual(ids(same, other, last));
  expect((await undo(tenant, first.id)).status).toBe(200);
  expect([await billed(former), await billed(third)]).toEqual([ids(same, other), [last.id]]);
  await bill(kept, 'No. 17', 5);
});

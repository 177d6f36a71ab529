import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, chargesOfM20, event, hauled, invoiceOf, linesOf, M10, makeBooks, withMinimum } from '../books.ts';
import { pagesOf } from '../documents/printed.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** The two invoices of M21, approved. */
async function approvedInvoices(): Promise<Json[]> {
  const { biller, tenant } = books;
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
  return invoices;
}

test('a settlement is corrected in one call: the other one is voided, and this one says by how much it differs', async () => {
  const { biller, tenant } = books;
  const discount = await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
    ...{ account_type: 'customer', add_on_types: ['settlement'], quantity: '1', total_installments: 1 },
    ...{ name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 },
  });
  const [first, second] = await approvedInvoices();
  const original = await settle({ biller }, [first, second]);
  await biller.must('PUT', biller.path(`/settlements/${original.id}/approve`), {});
  const path = biller.path(`/settlements/${original.id}/correct`);
  const ask = (changes: object[], by = biller) => by.http('POST', path, { reason: 'The price was 4.50.', changes });
  const rate = { rate_value: 4.5, rate_type: 'RatePerTon' };

  // A fault is named by its place, and nothing happens.
  const wrong = await ask([{ invoice_id: tenant.account.id, ...rate }, { invoice_id: second.id }]);
  expect([wrong.status, wrong.body.error.errors.map(({ field }: Json) => field)]).toEqual([
    422,
    ['changes.0.invoice_id', 'changes.1.invoice_id'],
  ]);
  const line = { invoice_id: second.id, invoice_line_items: [{ id: first.id, rate: 3 }] };
  const later = await ask([{ invoice_id: first.id, ...rate }, line]);
  expect([later.status, later.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['changes.1.invoice_line_items.0.id']]);
  const shown = await biller.must('GET', biller.path(`/settlements/${original.id}`));
  expect([shown.state, (await biller.must('GET', `/v1/jobs/${first.job.id}/receivable`)).total_amount]).toEqual(['approved', '1285.64']);

  // At 4.50 without the rate card's minimum: 309.02, fuel 12.36, material 858.38, wash 25.00, tax 97.33. Two at once correct it once.
  const answers = await Promise.all([ask([{ invoice_id: first.id, ...rate }]), ask([{ invoice_id: first.id, ...rate }])]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const made = answers.find(({ status }) => status === 201)!.body.data;
  expect(made).toMatchObject({ state: 'approved', invoices_total_amount: '1769.59', add_on_charges_total_amount: '-35.39' });
  expect([made.total_amount, made.difference_total_amount]).toEqual(['1734.2', '16.12']);
  const before = await biller.must('GET', biller.path(`/settlements/${original.id}`));
  expect(before).toMatchObject({ state: 'voided', void_reason: 'The price was 4.50.', total_amount: '1718.08', rebillable: false });
  // Its invoices say something else by now, so it is not explained; it is printed as it was approved.
  expect((await biller.must('GET', biller.path(`/settlements/${original.id}/explain`))).explain).toBeNull();
  const printed = await fetch(books.app.url + biller.path(`/settlements/${original.id}/pdf`), {
    headers: { Authorization: `Bearer ${biller.token}` },
  });
  const paper = (await pagesOf(new Uint8Array(await printed.arrayBuffer()))).join(' ');
  for (const part of ['Voided', '1,718.08', '294.40']) expect(paper).toContain(part);
  // The installment that it charged is charged once.
  const [{ auto_add_on_installments_count: count }] = await tenant.must('GET', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`);
  expect(count).toBe(1);
  await tenant.must('DELETE', `/v1/auto_add_on_assignments/${discount.id}`);

  // A paid settlement is not corrected, nor one of others, nor by those who may not.
  await biller.must('PUT', biller.path(`/settlements/${made.id}/pay`), {});
  const again = (by: Json) => by.http('POST', tenant.path(`/settlements/${made.id}/correct`), { reason: 'again', changes: [] });
  const statuses = [];
  for (const by of [biller, await tenant.person({ roles: ['dispatcher'] }), await makeStaffedTenant(books.app)])
    statuses.push((await again(by)).status);
  expect(statuses).toEqual([409, 403, 404]);
});

test('single lines are corrected, over REST and GraphQL: the others stay, and the ticket follows if it says the quantity', async () => {
  const { biller, tenant } = books;
  const job = await hauled(books, M10, { order: await withMinimum(tenant) });
  await approveLoads(biller, job);
  const invoice = (await event(biller, (await invoiceOf(books, job.id)).id, 'approve')).body.data;
  const original = await settle({ biller }, [invoice]);
  await biller.must('PUT', biller.path(`/settlements/${original.id}/approve`), {});
  const listed = async (): Promise<Json[]> => biller.must('GET', biller.path(`/invoices/${invoice.id}/invoice_line_items`));
  const [, two, three] = await listed();
  const correct = (id: string, lines: object[]) =>
    biller.http('POST', biller.path(`/settlements/${id}/correct`), {
      ...{ reason: 'A line was wrong.', changes: [{ invoice_id: invoice.id, invoice_line_items: lines }] },
    });

  // One line that is wrong keeps all of them as they are.
  const twice = await correct(original.id, [
    { id: two.id, rate: 5 },
    { id: two.id, rate: 6 },
    { id: three.id, quantity: -1 },
  ]);
  expect([twice.status, twice.body.error.errors.map(({ field }: Json) => field)]).toEqual([
    422,
    ['changes.0.invoice_line_items.2.quantity'],
  ]);
  const named = await correct(original.id, [
    { id: two.id, rate: 5 },
    { id: two.id, rate: 6 },
  ]);
  expect([named.status, named.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['changes.0.invoice_line_items.1.id']]);
  expect(await linesOf(biller, invoice.id)).toEqual([
    ['23.21', '4.25', '98.64'],
    ['22', '4.25', '93.5'],
    ['24.06', '4.25', '102.26'],
  ]);

  // M10 is 294.40. The second load at 5.00 is 110.00.
  const rated = await correct(original.id, [{ id: two.id, rate: 5 }]);
  expect([rated.status, rated.body.data?.total_amount, rated.body.data?.difference_total_amount]).toEqual([201, '310.9', '16.5']);
  expect(rated.body.data).toMatchObject({ state: 'approved' });

  // The first load is 24 tons on this side alone: 102.00.
  const asked = `mutation($id: ID!, $input: CorrectSettlementInput!) { correctSettlement(id: $id, input: $input) { id totalAmount differenceTotalAmount } }`;
  const line = { id: (await listed())[0].id, quantity: '24', onlyThisSide: true };
  const changes = [{ invoiceId: invoice.id, invoiceLineItems: [line] }];
  const { data } = await biller.gql(asked, { id: rated.body.data.id, input: { reason: 'The first load was weighed wrong.', changes } });
  expect(data?.correctSettlement).toMatchObject({ totalAmount: '314.26', differenceTotalAmount: '3.36' });

  // The third one is corrected with its ticket: 25 tons are 106.25; the first line is taken off.
  const lines = await listed();
  const gone = await correct(data.correctSettlement.id, [
    { id: lines[2].id, quantity: 25, reason: 'The scale was off.' },
    { id: lines[0].id, _destroy: 1 },
  ]);
  expect([gone.status, gone.body.data?.total_amount, gone.body.data?.difference_total_amount]).toEqual([201, '216.25', '-98.01']);
  const tickets: Json[] = await biller.must('GET', `/v1/jobs/${job.id}/tickets`);
  expect(tickets.map(({ quantity }) => quantity).sort()).toEqual(['21.4', '23.21', '25']);
  expect(await linesOf(biller, invoice.id)).toEqual([
    ['22', '5', '110'],
    ['25', '4.25', '106.25'],
  ]);
});

test('a dry run says what a correction comes to, by the same computation, and stores nothing', async () => {
  const { biller, tenant } = books;
  const job = await hauled(books, M10, { order: await withMinimum(tenant) });
  await approveLoads(biller, job);
  const invoice = (await event(biller, (await invoiceOf(books, job.id)).id, 'approve')).body.data;
  const original = await settle({ biller }, [invoice]);
  await biller.must('PUT', biller.path(`/settlements/${original.id}/approve`), {});
  const everything = async (): Promise<Json> => {
    const read = (path: string): Promise<Json> => biller.must('GET', path);
    return [
      await read(biller.path(`/settlements/${original.id}`)),
      await read(biller.path(`/invoices/${invoice.id}/invoice_line_items`)),
      await read(biller.path('/invoices?page[limit]=100')),
      await read(biller.path('/settlements/receivables?page[limit]=100')),
      await read(`/v1/jobs/${job.id}/tickets`),
    ];
  };
  const before = await everything();
  const [, , three] = before[1];
  const asked = `mutation($id: ID!, $input: CorrectSettlementInput!) { correctSettlement(id: $id, input: $input) {
    id settlementId state totalAmount differenceTotalAmount explain originalSettlement { id state } } }`;
  const invoiceLineItems = [{ id: three.id, quantity: '25', reason: 'The scale was off.' }];
  const input = { reason: 'The scale was off.', changes: [{ invoiceId: invoice.id, invoiceLineItems }], dryRun: true };
  const { data, errors } = await biller.gql(asked, { id: original.id, input });
  expect(errors).toBeUndefined();
  // M10 is 294.40; 25 tons instead of 24.06 are 106.25 instead of 102.26.
  expect(data.correctSettlement).toMatchObject({
    ...{ state: 'approved', totalAmount: '298.39', differenceTotalAmount: '3.99' },
    explain: { amount: '298.39', parts: [{ label: 'invoices', parts: [{ label: invoice.invoice_id, amount: '298.39' }] }] },
    originalSettlement: { id: original.id, state: 'voided' },
  });
  expect(await everything()).toEqual(before);
  expect((await biller.http('GET', biller.path(`/settlements/${data.correctSettlement.id}`))).status).toBe(404);

  // Over REST, too; what is wrong is named as it would be.
  const body = { reason: 'The price was 4.50.', changes: [{ invoice_id: invoice.id, rate_value: 4.5, rate_type: 'RatePerTon' }] };
  const path = biller.path(`/settlements/${original.id}/correct`);
  const rest = await biller.http('POST', path, { ...body, dry_run: true });
  expect([rest.status, rest.body.data?.total_amount]).toEqual([201, '309.02']);
  const wrong = await biller.http('POST', path, { ...body, changes: [{ invoice_id: original.id }], dry_run: true });
  expect([wrong.status, wrong.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['changes.0.invoice_id']]);
  expect(await everything()).toEqual(before);

  // The correction is then the one that was shown, under the number that was shown.
  const done = await biller.http('POST', path, body);
  expect(done.body.data).toMatchObject({ total_amount: '309.02', settlement_id: data.correctSettlement.settlementId });
  const late = await biller.http('POST', path, { ...body, dry_run: true });
  expect(late.status).toBe(409);
});

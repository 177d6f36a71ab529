import { expect, test } from '@jest/globals';
import { machineToken, makeChain, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { billerOf, hauled, invoiceOf, ticketed } from '../books.ts';
import { books, matches, RATES } from './matches.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const reported = (at: StaffedTenant, load: Json, quantity: number): Promise<Json> =>
  at.must('PATCH', `/v1/loads/${load.id}`, { quantity, unit_of_measure: 'Ton' });

/** A job of a company with loads that were reported before their tickets came. */
async function weighed(at: StaffedTenant, loads: readonly [reported: number, ticket: string][], order: object = RATES): Promise<Json> {
  const job = await hauled(
    { app: books.app, tenant: at, biller: books.biller },
    loads.map(() => null),
    { at, order },
  );
  for (const [i, [said, ticket]] of loads.entries()) {
    await reported(at, job.loads[i], said);
    await ticketed(at, job.loads[i], ticket);
  }
  return job;
}

test('M24: a ticket that says more than was reported is a variance, by the money at stake', async () => {
  const { tenant, biller } = books;
  const job = await weighed(tenant, [
    [22.9, '23.21'],
    [23.1, '23.21'],
    [24.06, '24.06'],
    [20, '21'],
  ]);
  const found = await matches(books, biller);
  const outcomes = found.map((one) => [one.result, one.variances, one.tolerated, one.amount_at_stake]);
  expect(outcomes.slice(0, 2)).toEqual([
    ['variance', ['qty_ticket_vs_load'], [], '4.25'],
    ['variance', ['qty_ticket_vs_load'], [], '1.32'],
  ]);
  expect(outcomes.slice(2).toSorted()).toEqual([
    ['matched', [], [], '0'],
    ['tolerated', [], ['qty_ticket_vs_load'], '0'],
  ]);
  const [, m24] = found;
  expect(m24).toMatchObject({
    ...{ side: 'receivable', ticket_quantity: '23.21', reported_quantity: '22.9', billed_quantity: '23.21', unit_of_measure: 'Ton' },
    ...{ rate: '4.25', amount: '98.64', load: { id: job.loads[0].id }, waived_at: null, waive_reason: null },
  });
  expect(m24).not.toHaveProperty('vendor_bill');
  // The list is paged, in the same order.
  const pages: Json[] = [];
  for (let next: string | undefined = biller.path('/billing/load_matches?filter[side]=receivable&page[limit]=1'); next; ) {
    const { body, headers } = await biller.http('GET', next);
    pages.push(...body.data);
    const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    const at = link && new URL(link, 'http://here');
    next = at ? at.pathname + at.search : undefined;
  }
  expect(pages.map(({ id }) => id)).toEqual(found.map(({ id }) => id));
  expect((await matches(books, biller, 'filter[side]=receivable&filter[results][]=variance')).length).toBe(2);
  const ASKED = `query ($after: String) { loadMatches(filter: { side: receivable }, first: 1, after: $after) {
    nodes { result amountAtStake load { loadId } waivedBy { id } } pageInfo { hasNextPage endCursor } } }`;
  const { data } = await tenant.gql(ASKED, {}, biller.token);
  expect(data.loadMatches.nodes).toEqual([
    { result: 'variance', amountAtStake: '4.25', load: { loadId: found[0].load.load_id }, waivedBy: null },
  ]);
  const after = data.loadMatches.pageInfo.endCursor;
  const next = (await tenant.gql(ASKED, { after }, biller.token)).data.loadMatches;
  expect(next).toMatchObject({ nodes: [{ amountAtStake: '1.32' }], pageInfo: { hasNextPage: true } });
});

test('a load that two live invoices bill is found, although no command makes one', async () => {
  const { tenant, biller, app } = books;
  const job = await hauled(books, ['10', '20'], { order: RATES });
  const first = await invoiceOf(books, job.id);
  const part = await biller.must('POST', biller.path(`/invoices/${first.id}/split`), { load_ids: [job.loads[1].id] });
  await app.settled();
  // As another band of its rate, which the database takes for no mistake.
  await app.orm.em.fork().execute(
    `insert into invoice_line_item select (jsonb_populate_record(li, jsonb_build_object('id', gen_random_uuid(), 'invoice_id', ?::uuid, 'part', 9))).*
     from invoice_line_item li where li.invoice_id = ?`,
    [first.id, part.id],
  );
  await app.orm.em
    .fork()
    .execute("update invoice set state = 'approved', billing_approved_at = now() where id = any(?)", [`{${first.id},${part.id}}`]);
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 1, tax_freight: true });
  const found = (await matches(books, biller, 'filter[side]=receivable&page[limit]=100')).find((one) => one.load?.id === job.loads[1].id);
  expect(found).toMatchObject({ result: 'variance', amount_at_stake: '85' });
  expect(found.variances).toContain('twice_billed');
});

test('a load that agreed is within the tolerance when it differs a little, and its ticket can be deleted', async () => {
  const { tenant, biller } = books;
  const job = await hauled(books, [null], { at: tenant, order: RATES });
  const [load] = job.loads;
  await reported(tenant, load, 24.06);
  const ticket = await ticketed(tenant, load, '24.06');
  const found = async () =>
    (await matches(books, biller, 'filter[side]=receivable&page[limit]=100')).find((one) => one.load?.id === load.id);
  expect((await found()).result).toBe('matched');
  await reported(tenant, load, 24.1);
  const differs = await found();
  expect([differs.result, differs.tolerated]).toEqual(['tolerated', ['qty_ticket_vs_load']]);
  // A comparison that does not change is not written again.
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { notes: 'Compared anew' });
  expect(await found()).toEqual(differs);
  expect((await tenant.http('DELETE', `/v1/tickets/${ticket.id}`)).status).toBe(204);
  expect((await found()).ticket_quantity).toBeNull();
});

test('a difference is waived with a reason, until something else differs', async () => {
  const { tenant, biller } = books;
  const job = await weighed(tenant, [[10, '11']]);
  const ofJob = async (): Promise<Json> => (await matches(books, biller)).find(({ load }) => load.id === job.loads[0].id);
  const match = await ofJob();
  const put = (name: string, body: object = {}) => biller.http('PUT', biller.path(`/billing/load_matches/${match.id}/${name}`), body);
  expect((await put('waive', { reason: ' ' })).status).toBe(422);
  expect((await put('unwaive')).status).toBe(409);
  const waived = await put('waive', { reason: 'the driver guessed' });
  expect(waived.body.data).toMatchObject({ result: 'waived', waive_reason: 'the driver guessed', waived_by: { id: biller.user.id } });
  expect((await put('waive', { reason: 'again' })).status).toBe(409);
  // A new look leaves it so.
  await biller.must('PUT', biller.path(`/loads/${job.loads[0].id}/approve`), {});
  expect(await ofJob()).toMatchObject({ result: 'waived' });
  const [line] = await biller.must('GET', biller.path(`/invoices/${match.invoice.id}/invoice_line_items`));
  await biller.must('PATCH', biller.path(`/invoices/${match.invoice.id}/invoice_line_items`), {
    ...{ rate_type: 'RatePerTon', invoice_line_items: [{ id: line.id, quantity: 12, only_this_side: true }] },
  });
  expect(await ofJob()).toMatchObject({
    ...{ result: 'variance', variances: ['qty_ticket_vs_load', 'qty_ticket_vs_invoice'], amount_at_stake: '4.25', waived_at: null },
    ...{ ticket_quantity: '11', reported_quantity: '10', billed_quantity: '12' },
  });
  expect((await put('waive', { reason: 'agreed' })).status).toBe(200);
  expect((await put('unwaive')).body.data).toMatchObject({ result: 'variance', waive_reason: null });
});

test('a load without a ticket, a line that was removed, and another rate are found', async () => {
  const { tenant, biller } = books;
  const job = await hauled(books, ['10', '10', null], { order: RATES });
  await reported(tenant, job.loads[2], 8);
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const lines: Json[] = await biller.must('GET', path);
  await biller.must('PATCH', path, {
    ...{
      rate_type: 'RatePerTon',
      invoice_line_items: [
        { id: lines[0].id, _destroy: 1 },
        { id: lines[1].id, rate: 5 },
      ],
    },
  });
  const loads = new Set(job.loads.map(({ id }: Json) => id));
  const found = (await matches(books, biller)).filter(({ load }) => loads.has(load.id));
  expect(found.map((one) => [one.variances, one.amount_at_stake])).toEqual([
    [['no_invoice'], '42.5'],
    [['no_ticket'], '34'],
    [['price_vs_order'], '7.5'],
  ]);
});

test('B10, B15: a rate by hand is compared with what was agreed on for the loads of its part alone', async () => {
  const { biller } = books;
  const job = await hauled(books, ['10', '20'], { order: RATES });
  const first = await invoiceOf(books, job.id);
  const second: Json = await biller.must('POST', biller.path(`/invoices/${first.id}/split`), { load_ids: [job.loads[1].id] });
  const variances = async () => {
    const found = await matches(books, biller);
    return job.loads.map(({ id }: Json) => {
      const match = found.find(({ load }) => load?.id === id);
      return [match.variances, match.amount_at_stake];
    });
  };
  const rate = (id: string, rate_value: number) =>
    biller.must('PATCH', biller.path(`/invoices/${id}`), { rate_value, rate_type: 'RatePerTon' });
  await rate(second.id, 5);
  expect(await variances()).toEqual([
    [[], '0'],
    [['price_vs_order'], '15'],
  ]);
  await rate(first.id, 4);
  expect(await variances()).toEqual([
    [['price_vs_order'], '2.5'],
    [['price_vs_order'], '15'],
  ]);
  // A part at what was agreed on differs in nothing, whatever the others are at.
  await rate(second.id, 4.25);
  expect(await variances()).toEqual([
    [['price_vs_order'], '2.5'],
    [[], '0'],
  ]);
});

test('nobody finds money that they may not see, and no other company anything', async () => {
  const { tenant, biller } = books;
  await weighed(tenant, [[10, '11']]);
  const [match] = await matches(books, biller);
  const path = biller.path('/billing/load_matches');
  const reader = await machineToken(tenant, ['view_settlements', 'view_driver_rates']);
  const seen: Json[] = await tenant.must('GET', path, undefined, reader);
  expect(new Set(seen.map(({ side }) => side))).toEqual(new Set(['payable']));
  expect((await tenant.http('GET', `${path}/${match.id}`, undefined, reader)).status).toBe(404);
  const none = await machineToken(tenant, ['view_settlements']);
  expect(await tenant.must('GET', path, undefined, none)).toEqual([]);
  const approver = await machineToken(tenant, ['view_settlements', 'approve_invoice']);
  expect((await tenant.http('PUT', `${path}/${match.id}/waive`, { reason: 'x' }, approver)).status).toBe(403);
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await dispatcher.http('GET', path)).status).toBe(404);
  const chain = await makeChain(books.app);
  const other = await billerOf(chain.owner);
  expect((await other.http('GET', other.path(`/billing/load_matches/${match.id}`))).status).toBe(404);
  expect((await other.http('PUT', other.path(`/billing/load_matches/${match.id}/waive`), { reason: 'x' })).status).toBe(404);
});

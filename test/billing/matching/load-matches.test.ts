import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { machineToken, makeChain, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Biller, type Books, billerOf, hauled, invoiceOf, makeBooks, rateCard, ticketed } from '../books.ts';
import { worked, ZONE } from '../days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };

/** Returns the comparisons of some side, the most at stake first. */
async function matches({ app }: Pick<Books, 'app'>, by: Biller, query = 'filter[side]=receivable'): Promise<Json[]> {
  await app.settled();
  return by.must('GET', by.path(`/billing/load_matches?${query}`));
}
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

test('what another scale weighs is compared with the ticket of the load that the truck had then, by the money at stake', async () => {
  const { tenant, biller, app } = books;
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'Dump' }));
  const truck = await tenant.save(Equipment, { company, equipmentType, name: 'T-9', externalId: 'T-9' });
  const job = await hauled(books, ['20'], { order: { ...RATES, equipment_id: truck.id } });
  const [load] = job.loads;
  const found = async (): Promise<Json> =>
    (await matches(books, biller, 'filter[side]=receivable&page[limit]=100')).find((one) => one.load?.id === load.id);
  expect(await found()).toMatchObject({ result: 'matched', other_scale_quantity: null });
  /** As a scale house sends it: the truck has no load left that lacks a ticket. */
  const weigh = async (number: string, quantity: string, site: string | null, more: object = {}): Promise<string> => {
    const [{ service_date }]: Json = await app.orm.em
      .fork()
      .execute('select summary_loaded_at as service_date from load where id = ?', [load.id]);
    const ticket = {
      ticket_number: number,
      platform_order_id: job.order.id,
      truck_id: 'T-9',
      quantity,
      unit_of_measure: 'tons',
      service_date,
    };
    const { body } = await tenant.http('POST', '/ingest/tickets', {
      tickets: [{ ...ticket, ...(site ? { site: { name: site } } : {}), ...more }],
    });
    await app.settled();
    const { state, result_id } = await tenant.must('GET', `/v1/imported_records/${body.data.records[0].id}`);
    expect([state, (await tenant.must('GET', `/v1/tickets/${result_id}`)).load_id ?? null]).toEqual(['processed', null]);
    return result_id;
  };
  // One percent is tolerated.
  await tenant.must('POST', '/v1/sites', { name: 'Weigh point', lat: '30.1', lon: '-97.1' });
  const near = await weigh('S-1', '19.9', 'Weigh point');
  expect(await found()).toMatchObject({ result: 'tolerated', tolerated: ['qty_scale_vs_scale'], other_scale_quantity: '19.9' });
  // The customer's import, which names no site, in another unit: 17.2365 tons, so that 2.7635 tons at 4.25 are at stake.
  const far = await weigh('S-2', '15636.7', null, { unit_of_measure: 'kg' });
  expect(await found()).toMatchObject({
    ...{
      result: 'variance',
      variances: ['qty_scale_vs_scale'],
      other_scale_quantity: '17.2365',
      ticket_quantity: '20',
      amount_at_stake: '11.74',
    },
  });
  expect((await matches(books, biller, 'filter[side]=receivable&filter[variances][]=qty_scale_vs_scale')).map(({ id }) => id)).toEqual([
    (await found()).id,
  ]);
  // A weight at the pit is of no other scale, nor is one of another time.
  await weigh('S-3', '2', tenant.pickup.name);
  await weigh('S-4', '2', 'Weigh point', { service_date: '2026-11-01T12:00:00Z' });
  expect((await found()).other_scale_quantity).toBe('17.2365');
  await tenant.must('PUT', `/v1/tickets/${far}/void`, {});
  expect(await found()).toMatchObject({ result: 'tolerated', other_scale_quantity: '19.9', amount_at_stake: '0' });
  expect((await tenant.http('DELETE', `/v1/tickets/${near}`)).status).toBe(204);
  expect(await found()).toMatchObject({ result: 'matched', other_scale_quantity: null });
});

test('hours that are billed are compared with the minutes of positions, and the time of a ticket with where the truck was', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const by = await billerOf(own);
  const execute = (sql: string, values: unknown[]) => books.app.orm.em.fork().execute(sql, values);
  const hourly = await rateCard(own, 'customer', {
    type: 'RatePerHour',
    time_rate: 90,
    time_minimum_minutes: 480,
    time_increment_minutes: 0,
  });
  const job = await worked(own, null, { customer_rate_id: hourly.id }, 300);
  /** The truck came to the drop-off of a job when its load was done. */
  const visited = (id: string) =>
    execute(
      `insert into geofence_trigger (id, company_id, asset_type, asset_id, fence_id, waypoint_type, geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, job_id, state, confidence)
       select gen_random_uuid(), l.company_id, 'driver', l.id, l.id, 'drop_off', 'enter', l.summary_load_completed_at, now(), l.id, 0, 0, l.job_id, 'applied', 1 from load l where l.job_id = ?`,
      [id],
    );
  let taxes = 0;
  const positions = async (minutes: number, gap: number) => {
    await execute('update load set summary_has_gps_data = true, summary_gps_minutes = ? where job_id = ?', [minutes, job.id]);
    await execute('update job set gps_longest_gap_seconds = ? where id = ?', [gap, job.id]);
    await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: ++taxes, tax_freight: true });
    const [first] = await matches(books, by);
    return [first.result, first.variances, first.billed_minutes, first.gps_minutes, first.amount_at_stake];
  };
  // Positions are known of all of it, and the truck came to none of the sites.
  expect((await positions(200, 60)).slice(0, 2)).toEqual(['variance', ['time_vs_gps', 'gps_absent']]);
  await visited(job.id);
  // Before the minimum of eight hours: five hours are billed, and positions are known of 200 minutes.
  expect(await positions(200, 60)).toEqual(['variance', ['time_vs_gps'], 300, 200, '150']);
  expect(await positions(290, 60)).toEqual(['tolerated', [], 300, 290, '0']);
  expect(await positions(300, 60)).toEqual(['matched', [], 300, 300, '0']);
  // With gaps between positions, nobody knows.
  expect(await positions(200, 1_800)).toEqual(['matched', [], 300, null, '0']);

  // The truck came to the pit two hours before the ticket says.
  const other = await hauled({ ...books, tenant: own, biller: by }, ['10'], { at: own, order: RATES });
  const [ticket] = await own.must('GET', `/v1/jobs/${other.id}/tickets`);
  const served = new Date(Date.now() - 3_600_000);
  await execute('update load set summary_has_gps_data = true, summary_gps_minutes = 600 where job_id = ?', [other.id]);
  await execute(
    `insert into geofence_trigger (id, company_id, asset_type, asset_id, fence_id, waypoint_type, geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, job_id, state, confidence)
     select gen_random_uuid(), company_id, 'driver', id, id, 'pickup', 'enter', ?, now(), id, 0, 0, id, 'applied', 1 from job where id = ?`,
    [new Date(served.getTime() - 7_200_000), other.id],
  );
  await visited(other.id);
  const foundOf = async (): Promise<Json> => (await matches(books, by)).find((one) => one.load.id === other.loads[0].id);
  await own.must('PATCH', `/v1/tickets/${ticket.id}`, { service_date: served.toISOString() });
  expect(await foundOf()).toMatchObject({ result: 'variance', variances: ['time_vs_gps'], amount: '42.5', amount_at_stake: '42.5' });
  await own.must('PATCH', `/v1/tickets/${ticket.id}`, { service_date: new Date(served.getTime() - 7_000_000).toISOString() });
  expect(await foundOf()).toMatchObject({ result: 'matched', amount_at_stake: '0' });
});

test('a load of whose time positions are known, and that came to none of its sites, is found by what it comes to', async () => {
  const { tenant, biller, app } = books;
  const execute = (sql: string, values: unknown[]) => app.orm.em.fork().execute(sql, values);
  const job = await hauled(books, ['10'], { order: RATES });
  const found = async (): Promise<Json> => {
    const [{ tax_rate }]: Json = await execute('update orders set tax_rate = coalesce(tax_rate, 0) where id = ? returning tax_rate', [
      job.order.id,
    ]);
    await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: Number(tax_rate) + 1, tax_freight: true });
    return (await matches(books, biller, 'filter[side]=receivable&page[limit]=100')).find((one) => one.load?.id === job.loads[0].id);
  };
  expect((await found()).variances).toEqual([]);
  await execute('update load set summary_has_gps_data = true, summary_gps_minutes = 600 where job_id = ?', [job.id]);
  expect(await found()).toMatchObject({ result: 'variance', variances: ['gps_absent'], amount_at_stake: '42.5' });
  // A visit at another time is none of this load.
  const visit = `insert into geofence_trigger (id, company_id, asset_type, asset_id, fence_id, waypoint_type, geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, job_id, state, confidence)
     select gen_random_uuid(), company_id, 'driver', id, id, 'pickup', 'enter', summary_load_completed_at - ?::interval, now(), id, 0, 0, job_id, 'applied', 1 from load where job_id = ?`;
  await execute(visit, ['2 hours', job.id]);
  expect((await found()).variances).toContain('gps_absent');
  await execute(visit, ['1 minute', job.id]);
  expect((await found()).variances).not.toContain('gps_absent');
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

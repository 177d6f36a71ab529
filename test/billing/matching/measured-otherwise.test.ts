import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { billerOf, hauled, rateCard } from '../books.ts';
import { worked, ZONE } from '../days/worked-days.ts';
import { books, matches, RATES } from './matches.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
       select gen_random_uuid(), l.company_id, 'driver', j.driver_id, l.id, 'drop_off', 'enter', l.summary_load_completed_at, now(), l.id, 0, 0, j.id, 'applied', 1
       from job j join load l on l.job_id = j.id where j.id = ?`,
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
     select gen_random_uuid(), company_id, 'driver', driver_id, id, 'pickup', 'enter', ?, now(), id, 0, 0, id, 'applied', 1 from job where id = ?`,
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
  // A visit at another time is none of this load, nor is one of a driver who had the job before.
  const visit = `insert into geofence_trigger (id, company_id, asset_type, asset_id, fence_id, waypoint_type, geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, job_id, state, confidence)
     select gen_random_uuid(), l.company_id, 'driver', coalesce(?, j.driver_id), l.id, 'pickup', 'enter', l.summary_load_completed_at - ?::interval, now(), l.id, 0, 0, j.id, 'applied', 1
     from job j join load l on l.job_id = j.id where j.id = ?`;
  const former = (await tenant.person({ roles: ['driver'] })).user.id;
  await execute(visit, [null, '2 hours', job.id]);
  await execute(visit, [former, '1 minute', job.id]);
  expect((await found()).variances).toContain('gps_absent');
  await execute(visit, [null, '1 minute', job.id]);
  expect((await found()).variances).not.toContain('gps_absent');
});

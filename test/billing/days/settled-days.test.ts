import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { localDate } from '../../../src/platform/time.ts';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Biller, event, invoiceOf, ticketed } from '../books.ts';
import { pagesOf } from '../documents/printed.ts';
import { settle } from '../settled.ts';
import { approveDay, books, byDay, m1, payableOf } from './day-pay.ts';
import { choose, touch, worked, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const DAY = '2026-11-18';

/** Approves a payable and settles it. */
async function settled(by: Biller, payable: Json): Promise<Json> {
  const approved = await event(by, payable.id, 'approve');
  expect([approved.status, approved.body.error]).toEqual([200, undefined]);
  return settle({ biller: by }, [payable], { include_loads_in_pdf: true });
}
async function report(own: StaffedTenant, job: Json, quantity: number): Promise<void> {
  const [load] = await own.must('GET', `/v1/jobs/${job.id}/loads`);
  await own.must('PATCH', `/v1/loads/${load.id}`, { quantity, unit_of_measure: 'Ton' });
}
const partsOf = (by: Biller, { id }: Json, rest: string): Promise<Json[]> => by.must('GET', by.path(`/settlements/${id}/${rest}`));
async function textOf(by: Biller, { id }: Json): Promise<string> {
  const answer = await fetch(books.app.url + by.path(`/settlements/${id}/pdf`), { headers: { Authorization: `Bearer ${by.token}` } });
  expect(answer.status).toBe(200);
  return (await pagesOf(new Uint8Array(await answer.arrayBuffer()))).join('\n');
}

test('a job of a day that is paid by itself is settled by itself: the day has neither it nor its loads', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const timed = await worked(own, day.id, { driver_rate_value: 30, driver_rate_type: 'RatePerHour' }, 200);
  const apart = await worked(own, day.id, { driver_rate_value: 55, driver_rate_type: 'RatePerLoad' }, 60);
  await report(own, timed, 10);
  await report(own, apart, 5);
  for (const job of [timed, apart]) await touch(own, job);
  await approveDay(own, day.id);
  const ofDay = await settled(by, (await payableOf(by, day.id)).body.data);
  const ofJob = await settled(by, await invoiceOf(books, apart.id, 'payable', by));
  const said = async (settlement: Json) => {
    const [group] = await partsOf(by, settlement, 'settlement_line_items');
    return {
      ...{ jobs: settlement.jobs_count, orders: settlement.data.friendly_order_ids, quantities: settlement.data.quantities_per_uom },
      loads: (await partsOf(by, settlement, 'loads')).length,
      work: group.line_items.flatMap(({ ids }: Json) => ids.map(({ job_id }: Json) => job_id)),
    };
  };
  const { order_id: first } = await own.must('GET', `/v1/orders/${timed.order.id}`);
  const { order_id: second } = await own.must('GET', `/v1/orders/${apart.order.id}`);
  expect(await said(ofDay)).toEqual({ jobs: 1, orders: [first], quantities: ['10 Ton'], loads: 1, work: [timed.id] });
  expect(await said(ofJob)).toEqual({ jobs: 1, orders: [second], quantities: ['5 Ton'], loads: 1, work: [apart.id] });
});

test('the pay of a day that is for no time is of that day, also on paper, wherever its company is', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const job = await worked(own, day.id, {}, 300);
  await touch(own, job);
  await approveDay(own, day.id);
  const { id } = (await payableOf(by, day.id)).body.data;
  await by.must('PATCH', by.path(`/invoices/${id}`), { rate_value: 300, rate_type: 'RateFlatRate' });
  const settlement = await settled(by, { id });
  expect(settlement.total_amount).toBe('300');
  const [group] = await partsOf(by, settlement, 'settlement_line_items');
  const [line] = group.line_items;
  expect([line.total_amount, localDate(new Date(line.date), ZONE)]).toEqual(['300', DAY]);
  const text = await textOf(by, settlement);
  const { date_format } = await by.must('GET', `/v1/companies/${own.company.id}`);
  const printed = (date: string) =>
    date_format.replace('YYYY', date.slice(0, 4)).replace('MM', date.slice(5, 7)).replace('DD', date.slice(8));
  expect(text).toContain(printed(DAY));
  expect(text).not.toContain(printed('2026-11-17'));
});

test('the pay of a day says of its work what is true of the jobs that it pays: tickets, trucks, materials and orders', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const company = ref(own.company);
  const driven = async (type: string, rates: object, minutes: number): Promise<Json> => {
    const equipmentType = ref(await own.save(EquipmentType, { company, name: type }));
    const truck = await own.save(Equipment, { company, equipmentType, name: `${type} 1`, externalId: `${type}-1` });
    const { id: material_id } = await own.must('POST', '/v1/materials', { name: `Stone of ${type}` });
    const job = await worked(own, day.id, { ...rates, material_id, equipment_id: truck.id }, minutes);
    const [load] = await own.must('GET', `/v1/jobs/${job.id}/loads`);
    await ticketed(own, load, '10');
    await touch(own, job);
    return job;
  };
  const timed = await driven('Dump', { driver_rate_value: 30, driver_rate_type: 'RatePerHour' }, 200);
  const apart = await driven('Flatbed', { driver_rate_value: 55, driver_rate_type: 'RatePerLoad' }, 60);
  const { order_id: number } = await own.must('GET', `/v1/orders/${timed.order.id}`);
  const { id, ...ofDay } = (await payableOf(by, day.id)).body.data;
  expect(ofDay).toMatchObject({
    ...{ tickets_count: 1, equipment_type_names: ['Dump'], equipment_external_ids: ['Dump-1'] },
    ...{ material_names: ['Stone of Dump'], order_order_ids: [number], job_job_ids: [timed.job_id] },
  });
  expect(await invoiceOf(books, apart.id, 'payable', by)).toMatchObject({ tickets_count: 1, equipment_type_names: ['Flatbed'] });
  // An order is found by the pay of a day if one of its jobs is paid with it.
  const orders: Json[] = await by.must('GET', by.path('/orders/invoicing?filter[invoice][invoiceable_type]=DriverDay'));
  expect(orders.map((order) => order.id)).toEqual([timed.order.id]);
  // The jobs of a day that is not paid any more are paid otherwise, and it names them all the same.
  await choose(own, { driverPayBy: 'job' });
  await books.app.settled();
  expect(await by.must('GET', by.path(`/invoices/${id}`))).toMatchObject({
    state: 'voided',
    tickets_count: 2,
    job_job_ids: expect.arrayContaining([timed.job_id]),
  });
});

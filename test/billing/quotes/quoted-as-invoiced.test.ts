import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { billerOf, hauled, invoiceOf, linesOf, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a quote has the minimum and the tiers by which invoices are made, also next to a value that goes before that of the rate card', async () => {
  const of = await makeStaffedTenant(books.app);
  const cardOf = (more: object): Promise<Json> =>
    of.must('POST', '/v1/rates', { name: 'Card', owner_type: 'customer', unit_rate: 9, unit_increment: 0, ...more });
  const plain = await cardOf({ type: 'RatePerTon', unit_minimum: 0 });
  const least = await cardOf({ type: 'RatePerTon', unit_minimum: 20 });
  const loads = await cardOf({ type: 'RatePerLoad', unit_minimum: 20 });
  const project = await of.must('POST', '/v1/projects', { name: 'Least', account_id: of.account.id, customer_rate_id: plain.id });
  const said = async (): Promise<Json> =>
    (await of.admin.must('GET', of.path(`/projects/${project.id}/quote`))).rates.map((rate: Json) => [
      rate.rate_type,
      rate.value,
      rate.minimum_quantity,
      rate.minimum_minutes,
    ]);
  expect(await said()).toEqual([['RatePerTon', '9', null, null]]);
  await of.must('PATCH', `/v1/projects/${project.id}`, { customer_rate_id: loads.id });
  // A load is one, whatever a rate card says.
  expect(await said()).toEqual([['RatePerLoad', '9', null, null]]);
  const both = { customer_rate_id: least.id, customer_rate_value: 11, customer_rate_type: 'RatePerTon' };
  await of.must('PATCH', `/v1/projects/${project.id}`, both);
  expect(await said()).toEqual([['RatePerTon', '11', '20', null]]);
  const by = await billerOf(of);
  const job = await hauled(books, ['10'], { at: of, order: { project_id: project.id } });
  expect(await linesOf(by, (await invoiceOf(books, job.id, 'receivable', by)).id)).toEqual([['20', '11', '220']]);
});

test('a quote has what a schedule charges that has no rate for customers, with the rate that its work is invoiced at', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const own = { customer_rate_value: 11, customer_rate_type: 'RatePerTon' };
  const project = await of.must('POST', '/v1/projects', { name: 'Washed', account_id: of.account.id, ...own });
  const wash = await of.must('POST', '/v1/add_ons', { name: 'Wash', add_on_types: ['invoicing'], revenue_rate_value: 25 });
  const scheduleOf = async (more: object, charges = true): Promise<void> => {
    const { id } = await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, more);
    const assigned = { add_on_id: wash.id, account_type: 'customer' };
    if (charges) await of.must('POST', `/v1/site_rate_schedules/${id}/auto_add_on_assignments`, assigned);
  };
  const quoted = async (): Promise<Json> =>
    (await of.admin.must('GET', of.path(`/projects/${project.id}/quote`))).rates.map((rate: Json) => [
      ...[rate.rate_type, rate.value, rate.pickup_site_name, rate.dropoff_site_name],
      rate.charges.map(({ name, rate }: Json) => [name, rate]),
    ]);
  const vendors = { vendor_rate_value: 5, vendor_rate_type: 'RatePerTon' };
  await scheduleOf({ dropoff_site_id: of.pickup.id, ...vendors }, false);
  expect(await quoted()).toEqual([['RatePerTon', '11', null, null, []]]);
  await scheduleOf({ site_id: of.pickup.id, ...vendors });
  const ofProject = ['RatePerTon', '11', null, null, []];
  expect(await quoted()).toEqual([ofProject, ['RatePerTon', '11', 'Quarry', null, [['Wash', '25']]]]);
  const job = await hauled(books, ['10'], { at: of, order: { project_id: project.id } });
  const { id, total_amount } = await invoiceOf(books, job.id, 'receivable', by);
  expect([await linesOf(by, id), total_amount]).toEqual([[['10', '11', '110']], '135']);

  // Work that meets all conditions of a schedule meets those of one that has some of them.
  await scheduleOf({ dropoff_site_id: of.dropoff.id, customer_rate_value: 7, customer_rate_type: 'RatePerTon' }, false);
  await scheduleOf({ site_id: of.pickup.id, dropoff_site_id: of.dropoff.id, ...vendors });
  const there = ['RatePerTon', '7', null, 'Bridge', []];
  const both = ['RatePerTon', '7', 'Quarry', 'Bridge', [['Wash', '25']]];
  expect(await quoted()).toEqual([ofProject, ['RatePerTon', '11', 'Quarry', null, [['Wash', '25']]], there, both]);
  // Without a rate of the project, nothing is offered where no schedule has one.
  await of.must('PATCH', `/v1/projects/${project.id}`, { customer_rate_value: null, customer_rate_type: null });
  expect(await quoted()).toEqual([there, both]);
});

test('a quote has a schedule that keeps away what another one would charge, as its work is invoiced', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const project = await of.must('POST', '/v1/projects', { name: 'Clean', account_id: of.account.id });
  const wash = await of.must('POST', '/v1/add_ons', { name: 'Wash', add_on_types: ['invoicing'], revenue_rate_value: 25 });
  const scheduleOf = (more: object): Promise<Json> => of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, more);
  const washed = await scheduleOf({ site_id: of.pickup.id, customer_rate_value: 7, customer_rate_type: 'RatePerTon' });
  const assigned = { add_on_id: wash.id, account_type: 'customer' };
  await of.must('POST', `/v1/site_rate_schedules/${washed.id}/auto_add_on_assignments`, assigned);
  // Of a job that meets both, this one decides what is charged in addition: nothing.
  const vendors = { vendor_rate_value: 5, vendor_rate_type: 'RatePerTon' };
  await scheduleOf({ site_id: of.pickup.id, dropoff_site_id: of.dropoff.id, ...vendors });
  const job = await hauled(books, ['10'], { at: of, order: { project_id: project.id } });
  const { id, total_amount } = await invoiceOf(books, job.id, 'receivable', by);
  expect([await linesOf(by, id), total_amount]).toEqual([[['10', '7', '70']], '70']);
  const { rates } = await of.admin.must('GET', of.path(`/projects/${project.id}/quote`));
  expect(
    rates.map(({ value, pickup_site_name, dropoff_site_name, charges }: Json) => [
      ...[value, pickup_site_name, dropoff_site_name],
      charges.map(({ name }: Json) => name),
    ]),
  ).toEqual([
    ['7', 'Quarry', null, ['Wash']],
    ['7', 'Quarry', 'Bridge', []],
  ]);
});

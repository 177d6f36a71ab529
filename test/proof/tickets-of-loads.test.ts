import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { hauled, makeBooks } from '../billing/books.ts';
import { Replica } from '../events/follower.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a ticket of a load with another material and other stops than its job is called as its load is counted: in lists, sheets, running totals and metrics', async () => {
  const at = await makeStaffedTenant(books.app);
  const own = { company: ref(at.company) };
  const sand = await at.save(Material, { ...own, name: 'Sand' });
  const pit = await at.save(Site, { ...own, name: 'Sand pit' });
  const project = await at.must('POST', '/v1/projects', { name: 'Road', account_id: at.account.id });
  const job = await hauled(books, ['10', '20'], { at, order: { project_id: project.id } });
  const [first, second] = job.loads;
  const stops: Json[] = (await at.must('GET', `/v1/jobs/${job.id}`)).waypoints;
  const waypoints = stops.map(({ id, type, ordinality, site }) => ({
    id,
    type,
    ordinality,
    site_id: type === 'pickup' ? pit.id : site.id,
  }));
  await at.must('PATCH', `/v1/loads/${second.id}`, { material_id: sand.id, waypoints });

  const tickets: Json[] = await at.must('GET', `/v1/jobs/${job.id}/tickets`);
  const namesOf = (one: Json) => [one.quantity, one.material_name, one.pickup_site_name, one.dropoff_site_name];
  const byQuantity = (a: Json, b: Json) => Number(a.quantity) - Number(b.quantity);
  const said = [
    ['10', 'Gravel', 'Quarry', 'Bridge'],
    ['20', 'Sand', 'Sand pit', 'Bridge'],
  ];
  expect(tickets.sort(byQuantity).map(namesOf)).toEqual(said);
  // One ticket is read by another statement than a list of them, and a sheet by a third one.
  const alone = await Promise.all(tickets.map(({ id }) => at.must('GET', `/v1/tickets/${id}`)));
  expect(alone.map(namesOf)).toEqual(said);
  const sheet = await books.app.http('GET', `/v1/jobs/${job.id}/tickets`, { token: at.token, headers: { Accept: 'text/csv' } });
  for (const line of ['Sand pit', 'Quarry']) expect(String(sheet.body)).toContain(line);
  const agency: Json[] = await at.must('GET', `/v1/projects/${project.id}/agency_tickets`);
  expect(agency.sort(byQuantity).map((one) => [one.material_name, one.running_total?.quantity])).toEqual([
    ['Gravel', '10'],
    ['Sand', '20'],
  ]);

  const { order_summary } = await at.must('GET', `/v1/orders/${job.order.id}`);
  expect(order_summary.delivered_quantities.map(({ material_name, delivered }: Json) => [material_name, delivered])).toEqual([
    ['Gravel', '10'],
    ['Sand', '20'],
  ]);
  const grouped = await at.admin.must(
    'GET',
    at.path('/metrics?measures[]=delivered_quantity&group_by[]=material&group_by[]=pickup_site&group_by[]=dropoff_site'),
  );
  expect(grouped.map(({ keys, values: [value] }: Json) => [value.value, ...keys.map(({ label }: Json) => label)])).toEqual(said);
  expect(first.id).not.toBe(second.id);
});

test('a load changes in the feed with its ticket: when that is made, goes to another load, and is voided', async () => {
  const at = await makeStaffedTenant(books.app);
  const { loads } = await hauled(books, [null, null], { at });
  const copy = await new Replica(at, at.admin.token).begin();
  const compare = async (): Promise<(string | undefined)[]> => {
    await copy.follow();
    for (const { id } of loads)
      expect(copy.records.get(`Load ${id}`)).toEqual(await at.must('GET', `/v1/loads/${id}`, undefined, at.admin.token));
    return loads.map(({ id }: Json) => copy.records.get(`Load ${id}`).ticket?.ticket_number);
  };
  const made = { load_id: loads[0].id, ticket_number: 'A', quantity: 7, unit_of_measure: 'Ton' };
  const { id } = await at.must('POST', '/v1/tickets', made);
  expect(await compare()).toEqual(['A', undefined]);
  await at.must('PATCH', `/v1/tickets/${id}`, { ticket_number: 'B' });
  expect(await compare()).toEqual(['B', undefined]);
  await at.must('PATCH', `/v1/tickets/${id}`, { load_id: loads[1].id });
  expect(await compare()).toEqual([undefined, 'B']);
  await at.must('PUT', `/v1/tickets/${id}/void`, {});
  expect(await compare()).toEqual([undefined, undefined]);
});

import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { machineToken } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Books, event, hauled, invoiceOf, makeBooks, messages, ticketed } from '../books.ts';
import { openBooks } from '../periods/closed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks({ worker: true });
const ORDER = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' };
const SENTENCE =
  'cannot be approved: the ticket of a load contradicts what was reported, weighed, billed or seen; correct it, or say why it is right';

async function choose({ tenant, app }: Books, input: object): Promise<Json> {
  const change = `mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) {
    matchReportPercent matchReportLeast matchScalePercent matchTimePercent ticketConflictBlocks } }`;
  const answer = await tenant.gql(change, { input }, await tenant.administrator());
  await app.settled();
  return answer;
}

/** A job whose only load was reported before its ticket came. */
async function weighed(books: Books, reported: number, ticket: string): Promise<Json> {
  const job = await hauled(books, [null], { at: books.tenant, order: ORDER });
  await books.tenant.must('PATCH', `/v1/loads/${job.loads[0].id}`, { quantity: reported, unit_of_measure: 'Ton' });
  await ticketed(books.tenant, job.loads[0], ticket);
  await approveLoads(books.biller, job);
  return job;
}
const detailsOf = async ({ tenant, app, biller }: Books, id: string, token = biller.token): Promise<Json> => {
  await app.settled();
  return (await tenant.gql('query($id: ID!) { invoice(id: $id) { blockers warnings state } }', { id }, token)).data.invoice;
};
const matchOf = async ({ biller, app }: Books, job: Json): Promise<Json> => {
  await app.settled();
  const all: Json[] = await biller.must('GET', biller.path('/billing/load_matches?filter[side]=receivable&page[limit]=100'));
  return all.find(({ load }) => load?.id === job.loads[0].id);
};

test('B2.2 ticket_conflict: a ticket that contradicts a report is pointed out until somebody says that it is right, and blocks nothing by default', async () => {
  const books = await openBooks(shared);
  const { biller, tenant } = books;
  const job = await weighed(books, 22.9, '23.21');
  const { id } = await invoiceOf(books, job.id);
  expect(await detailsOf(books, id)).toEqual({ blockers: [], warnings: ['ticket_conflict'], state: 'pending' });
  // Whoever does not see the rates of the side sees no row of the comparison either.
  const reader = await machineToken(tenant, ['view_settlements', 'view_driver_rates']);
  expect((await detailsOf(books, id, reader)).warnings).toEqual([]);
  const match = await matchOf(books, job);
  await biller.must('PUT', biller.path(`/billing/load_matches/${match.id}/waive`), { reason: 'the driver guessed' });
  expect((await detailsOf(books, id)).warnings).toEqual([]);
  await biller.must('PUT', biller.path(`/billing/load_matches/${match.id}/unwaive`), {});
  expect((await event(biller, id, 'approve')).body.data.state).toBe('approved');
  expect((await detailsOf(books, id)).warnings).toEqual(['ticket_conflict']);
});

test('B2.2 ticket_conflict: in a company that chose so, it keeps the invoice from being approved until it is settled', async () => {
  const books = await openBooks(shared);
  const { biller, tenant } = books;
  const earlier = await weighed(books, 10, '11');
  const before = await invoiceOf(books, earlier.id);
  expect((await choose(books, { ticketConflictBlocks: true })).data.updateCompanySettings.ticketConflictBlocks).toBe(true);
  expect((await detailsOf(books, before.id)).blockers).toEqual(['ticket_conflict']);

  const job = await weighed(books, 22.9, '23.21');
  const { id } = await invoiceOf(books, job.id);
  expect((await detailsOf(books, id)).blockers).toEqual(['ticket_conflict']);
  const refused = await event(biller, id, 'approve');
  expect([refused.status, messages(refused)]).toEqual([409, [SENTENCE]]);
  const listed: Json[] = await biller.must('GET', biller.path('/billing/blockers?page[limit]=100'));
  expect(listed.find((one) => one.id === id).blockers).toEqual(['ticket_conflict']);
  // Said to be right.
  const match = await matchOf(books, job);
  await biller.must('PUT', biller.path(`/billing/load_matches/${match.id}/waive`), { reason: 'the driver guessed' });
  expect((await detailsOf(books, id)).blockers).toEqual([]);
  // Not right any more: the approval sees it although nothing was compared since.
  const [ticket] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 25 });
  const again = await event(biller, id, 'approve');
  expect([again.status, messages(again)]).toEqual([409, [SENTENCE]]);
  // Corrected.
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 22.9 });
  expect((await detailsOf(books, id)).blockers).toEqual([]);
  expect((await event(biller, id, 'approve')).body.data.state).toBe('approved');
  // Chosen otherwise again.
  await choose(books, { ticketConflictBlocks: false });
  expect((await detailsOf(books, before.id)).blockers).toEqual([]);
});

test('B10: a company says what it tolerates, within one percent and 0.05 by default', async () => {
  const books = await openBooks(shared);
  const usual = { matchReportPercent: '1', matchReportLeast: '0.05', matchScalePercent: '1', matchTimePercent: '10' };
  const [job, small] = [await weighed(books, 22.9, '23.21'), await weighed(books, 2, '2.06')];
  const results = async () => [(await matchOf(books, job)).result, (await matchOf(books, small)).result];
  expect(await results()).toEqual(['variance', 'variance']);
  // 0.31 of 22.9 is 1.35 %, and 0.06 of 2 is 3 %.
  expect((await choose(books, { matchReportPercent: '1.4' })).data.updateCompanySettings).toMatchObject({
    ...usual,
    matchReportPercent: '1.4',
  });
  expect(await results()).toEqual(['tolerated', 'variance']);
  await choose(books, { matchReportLeast: '0.06' });
  expect(await results()).toEqual(['tolerated', 'tolerated']);
  expect((await choose(books, { matchReportPercent: null, matchReportLeast: null })).data.updateCompanySettings).toMatchObject(usual);
  expect(await results()).toEqual(['variance', 'variance']);
  for (const wrong of [{ matchReportPercent: '-1' }, { matchTimePercent: '101' }, { matchReportLeast: '0.00001' }]) {
    const [field] = Object.keys(wrong);
    expect((await choose(books, wrong)).errors[0].extensions.errors.map((one: Json) => one.field)).toEqual([field]);
  }
});

test('B15, duplicate ticket: a near duplicate is pointed out by the review of its load, and blocks no invoice', async () => {
  const books = await openBooks(shared, { aiReviewLoads: true });
  const { tenant: own, biller: by } = books;
  const company = ref(own.company);
  const equipmentType = ref(await own.save(EquipmentType, { company, name: 'Dump' }));
  const truck = await own.save(Equipment, { company, equipmentType, name: 'T-9', externalId: 'T-9' });
  const job = await hauled(books, [null, null], {
    at: own,
    order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon', equipment_id: truck.id },
  });
  // As a scale house sends it, which names the truck.
  const weighing = { platform_order_id: job.order.id, truck_id: 'T-9', quantity: '21.4', unit_of_measure: 'tons' };
  const tickets = ['NEAR-1', 'NEAR-2'].map((ticket_number) => ({ ...weighing, ticket_number, service_date: new Date().toISOString() }));
  expect((await own.http('POST', '/ingest/tickets', { tickets })).status).toBe(202);
  await books.app.settled();
  await approveLoads(by, job);
  const invoice = await invoiceOf(books, job.id, 'receivable', by);
  const issues: string[] = [];
  for (const load of job.loads) issues.push(...((await own.must('GET', `/v1/loads/${load.id}`)).ai_review?.issues ?? []));
  expect(issues.map((issue) => issue.split(':')[0])).toContain('near_duplicate');
  expect(invoice).toMatchObject({ state: 'pending', approvable: true, total_amount: '85.6' });
  expect((await event(by, invoice.id, 'approve')).body.data.state).toBe('approved');
});

import { expect, test } from '@jest/globals';
import { billerOf, event, invoiceOf, makeBooks, messages } from '../books.ts';
import { makeOwner, makeWork } from './billed-work.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });

test('DOMAIN 1.2: a job of which nothing but the pay of its driver is approved is changed by no door, over both interfaces, as its `editable` says', async () => {
  const owner = await makeOwner(books);
  const { own } = owner;
  const biller = await billerOf(own);
  const { ids } = await makeWork(books, owner, { passed: false, approved: false });
  const pay = await invoiceOf({ ...books, tenant: own, biller }, ids.job, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const { http, gql } = { http: own.admin.http, gql: (query: string) => own.gql(query, { id: ids.job }, own.admin.token) };
  const doors: Record<string, () => Promise<Json>> = {
    rate: () => http('PATCH', `/v1/jobs/${ids.job}`, { customer_rate_value: 5 }),
    quantity: () => http('PATCH', own.path(`/jobs/${ids.job}`), { quantity: 4 }),
    truck: () => http('POST', `/v1/jobs/${ids.job}/equipment`, { equipment_id: null }),
    trailers: () => http('POST', `/v1/jobs/${ids.job}/additional_equipment`, { additional_equipment_ids: [] }),
    phase: () => http('PATCH', `/v1/jobs/${ids.job}/phase`, { phase_id: null }),
    minutes: () => http('PATCH', `/v1/jobs/${ids.job}/summary`, { approved_work_time_minutes: 60 }),
    'minutes with an approval': () => http('PUT', `/v1/jobs/${ids.job}/approve`, { approved_work_time_minutes: 60 }),
    'rate by GraphQL': () => gql('mutation($id: ID!) { updateJob(id: $id, input: { customerRateValue: "5" }) { id } }'),
    'truck by GraphQL': () => gql('mutation($id: ID!) { setJobEquipment(id: $id, equipmentId: null) { id } }'),
    'phase by GraphQL': () => gql('mutation($id: ID!) { setJobPhase(id: $id, phaseId: null) { id } }'),
  };
  const answers = async () => {
    const found: Record<string, string> = {};
    for (const [name, open] of Object.entries(doors)) {
      const answer = await open();
      found[name] = answer.errors
        ? answer.errors[0].extensions.errors[0].message
        : answer.body?.error
          ? `${answer.status} ${messages(answer).join()}`
          : 'done';
    }
    return found;
  };
  const job = () => own.must('GET', `/v1/jobs/${ids.job}`, undefined, own.admin.token);
  const before = await job();
  expect(before.editable).toBe(false);
  const held = `is on ${pay.invoice_id}, which is approved; take that approval back first`;
  const refused = Object.fromEntries(
    Object.keys(doors).map((name) => [
      name,
      name.endsWith('GraphQL') ? held : `${['rate', 'quantity'].includes(name) ? 409 : 422} ${held}`,
    ]),
  );
  expect(await answers()).toEqual(refused);
  const { version, customer_rate_value, phase } = await job();
  expect({ version, customer_rate_value, phase }).toEqual({
    ...{ version: before.version, customer_rate_value: before.customer_rate_value, phase: before.phase },
  });
  // The customer is billed by the ton: what the loads weigh is no matter of hours.
  expect((await http('PATCH', `/v1/tickets/${ids.ticket}`, { quantity: 11 })).status).toBe(200);
  expect((await http('PATCH', `/v1/jobs/${ids.job}`, { notes: 'paid' })).status).toBe(200);
  // Clients send the whole job back to change its notes; with anything else changed it is refused.
  expect((await http('PATCH', `/v1/jobs/${ids.job}`, { ...(await job()), notes: 'paid out' })).status).toBe(200);
  const more = {
    driver_id: null,
    billable_hours: 3,
    job_start_at: '2026-11-24T12:00:00Z',
    waypoints: [{ type: 'staging', ordinality: 7, site_id: own.pickup.id }],
  };
  for (const [field, value] of Object.entries(more))
    expect([field, (await http('PATCH', `/v1/jobs/${ids.job}`, { ...(await job()), [field]: value })).status]).toEqual([field, 409]);
  expect((await event(biller, pay.id, 'unapprove')).status).toBe(200);
  expect((await job()).editable).toBe(true);
  expect(await answers()).toEqual(Object.fromEntries(Object.keys(doors).map((name) => [name, 'done'])));
});

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Haulgate, HaulgateError } from '@haulgate/client';
import { Dashboard, Orders, OrderWithWork } from '@haulgate/client/documents';
import { sendFile } from '@haulgate/client/send';
import { NotVerified, verifyWebhook, type WebhookEvent } from '@haulgate/client/webhooks';

const { URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const access = { url: URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const haulgate = new Haulgate(access);

/** The one that is there. @throws Error without it */
function present<T>(value: T | null | undefined, what: string): T {
  if (value === undefined || value === null) throw new Error(`there is no ${what}`);
  return value;
}
const report = (name: string, value: unknown) => console.log(JSON.stringify({ name, value }));

// Events are sent here, and verified with the secret and with the public key.
let keys: string[] = [];
const events: WebhookEvent[] = [];
let forged: unknown;
const endpoint = createServer(async (req, res) => {
  const parts: Uint8Array[] = [];
  for await (const part of req) parts.push(part);
  const raw = Buffer.concat(parts);
  for (const key of keys) events.push(verifyWebhook(raw, req.headers, key));
  try {
    verifyWebhook(raw.toString().replace('"attempt":1', '"attempt":2'), req.headers, keys);
  } catch (error) {
    forged = error;
  }
  res.writeHead(204).end();
});
endpoint.listen(0, '127.0.0.1');
await once(endpoint, 'listening');
const address = endpoint.address();
if (address === null || typeof address === 'string') throw new Error('the endpoint has no port');
const subscription = await haulgate.call('POST /v1/webhook_subscriptions', {
  body: { url: `http://127.0.0.1:${address.port}/`, triggers: ['Job::state_change'] },
});
keys = [present(subscription.secret, 'secret'), subscription.public_key];

// From nothing to an order whose job is signed off.
const service = present((await haulgate.call('GET /v1/services'))[0], 'service');
const roles = await haulgate.call('GET /v1/iam_roles');
const role = present(
  roles.find(({ name }) => name === 'Driver'),
  'role of drivers',
);
const customer = await haulgate.call('POST /v1/accounts', {
  body: { name: 'Bridge Builders', account_types: ['customer'], auto_accept_orders: false },
});
const pit = await haulgate.call('POST /v1/sites', { body: { name: 'North pit', lat: '30.63', lon: '-97.67', site_type: 'Quarry' } });
const bridge = await haulgate.call('POST /v1/sites', { body: { name: 'SH 71 bridge', lat: '30.18', lon: '-97.53', site_type: 'JobSite' } });
const material = await haulgate.call('POST /v1/materials', { body: { name: 'Flex base' } });
const kind = await haulgate.call('POST /v1/equipment_types', { body: { name: 'Tri-axle' } });
const truck = await haulgate.call('POST /v1/equipment', { body: { name: 'Truck 12', equipment_type_id: kind.id } });
const driver = await haulgate.call('POST /v1/users', {
  body: {
    ...{ company_id: customer.company.id, first_name: 'Dora', last_name: 'Wheel', email: 'dora@hill.example' },
    ...{ iam_role_ids: [role.id], equipment_id: truck.id },
  },
});
const made = await haulgate.answer('POST /v1/orders', {
  body: {
    ...{ load_at: new Date(Date.now() + 3_600_000).toISOString(), truck_count: 1, truck_delay: 0, loads_per_truck: 1 },
    ...{ account_id: customer.id, service_id: service.id, material_id: material.id, equipment_type_id: kind.id, unit_of_measure: 'Ton' },
    quantity: '18.25',
    waypoints: [
      { type: 'pickup', site_id: pit.id, ordinality: 0 },
      { type: 'drop_off', site_id: bridge.id, ordinality: 1 },
    ],
  },
});
const order = made.data;
const read = await haulgate.answer('GET /v1/orders/{id}', { path: { id: order.id } });
report('order', { status: made.status, etag: read.headers.has('etag'), quantity: read.data.quantity });
await haulgate.call('PUT /v1/orders/{order-id}/accept', { path: { 'order-id': order.id } });
const job = present((await haulgate.call('GET /v1/orders/{order-id}/jobs', { path: { 'order-id': order.id } }))[0], 'job');
const path = { 'job-id': job.id };
await haulgate.call('PATCH /v1/jobs/{id}', { path: { id: job.id }, body: { driver_id: driver.id } });
await haulgate.call('PUT /v1/jobs/{job-id}/request', { path });
await haulgate.call('PUT /v1/jobs/{job-id}/accept', { path });
for (let leg = 0; leg < 2; leg++) {
  await haulgate.call('PUT /v1/jobs/{job-id}/enroute', { path });
  await haulgate.call('PUT /v1/jobs/{job-id}/arrive', { path });
  if (leg === 0) await haulgate.call('PUT /v1/jobs/{job-id}/load_material', { path });
  else await haulgate.call('PUT /v1/jobs/{job-id}/unload_material', { path });
}
await haulgate.call('PUT /v1/jobs/{job-id}/complete_load', { path });
await haulgate.call('PUT /v1/jobs/{job-id}/complete', { path });
await haulgate.call('PUT /v1/jobs/{job-id}/approve', { path });
const signed = await haulgate.call('PUT /v1/jobs/{job-id}/sign_off', { path });
report('job', signed.state);

// The feed goes on where it ended; a list says nothing of archives while there are none.
const company = { 'company-id': customer.company.id };
const begun = await haulgate.answer('GET /v1/companies/{company-id}/changes', { path: company });
const late = await haulgate.call('POST /v1/materials', { body: { name: 'Late base' } });
const seen: (string | null)[] = [];
for (let after: string = begun.meta.position, until = Date.now() + 20_000; !seen.includes(late.id) && Date.now() < until; ) {
  const next = await haulgate.answer('GET /v1/companies/{company-id}/changes', { path: company, query: { after, wait: 1 } });
  seen.push(...next.data.map(({ id }) => id));
  after = next.meta.position;
}
const entries = await haulgate.answer('GET /v1/audit_entries');
report('meta', [seen.includes(late.id), entries.meta?.archived?.before ?? 'complete', read.meta === undefined]);

// A refusal says why, and for which field.
const refusals: unknown[] = [];
for (const attempt of [
  () => haulgate.call('PUT /v1/jobs/{job-id}/accept', { path }),
  () => haulgate.call('POST /v1/materials', { body: { name: '' } }),
  () => haulgate.call('PATCH /v1/orders/{id}', { path: { id: order.id }, body: { notes: 'late' }, ifMatch: '"0"' }),
])
  await attempt().catch((error: unknown) => {
    if (!(error instanceof HaulgateError)) throw error;
    refusals.push([error.status, error.code, error.errors.map(({ field }) => field)]);
  });
report('refusals', refusals);

// A file of orders, by the sender; then all of them, page by page, and over GraphQL.
writeFileSync('orders.csv', 'external_id,load_at,customer.external_id\nA,2026-12-01T07:00,C\nB,2026-12-01T08:00,C\nC,soon,C\n');
const sent = await sendFile({ ...access, file: 'orders.csv', batch: 2 });
report('sent', { states: sent.states, failed: sent.failed.map(({ place, imported_for }) => [place, imported_for]) });
const listed: (string | null)[] = [];
for await (const one of haulgate.pages('GET /v1/orders', { query: { 'page[limit]': 1, 'filter[states][]': ['created', 'hold'] } }))
  listed.push(one.external_id);
report('pages', listed.toSorted());
const { orders } = await haulgate.graphql(Orders, { first: 2, filter: { externalIds: ['A', 'B'] } });
report(
  'graphql',
  present(orders, 'page').nodes.map(({ externalId, state }) => [externalId, state]),
);
const { order: whole } = await haulgate.graphql(OrderWithWork, { id: order.id });
report(
  'loads',
  present(whole, 'order').jobs.nodes.flatMap(({ loads }) => loads.nodes.map(({ state }) => state)),
);
const [from, to] = [new Date(Date.now() - 3_600_000), new Date()].map((at) => at.toISOString()) as [string, string];
const { dayBoard } = await haulgate.graphql(Dashboard, { from, to, since: from });
report('dashboard', dayBoard?.timeZone !== undefined);

// The webhooks of the job, each by both keys.
const states = new Set<string | null>();
for (const until = Date.now() + 20_000; !states.has('signed_off') && Date.now() < until; await new Promise((wake) => setTimeout(wake, 50)))
  for (const event of events) if (event.event === 'Job::state_change') states.add(event.payload.state);
report('webhooks', {
  states: [...states].filter((state) => state === 'signed_off'),
  even: events.length % 2 === 0,
  forged: forged instanceof NotVerified,
});
endpoint.close();
endpoint.closeAllConnections();

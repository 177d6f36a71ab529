import type { Operations } from './contract.ts';

/** The names of the parameters of a path. */
type Parameters<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Parameters<Rest> : never;
type Body<Name extends keyof Operations> = Operations[Name] extends { body: infer Given } ? [body: Given] : [];

const { BASE_URL = '', TOKEN = '' } = process.env;

/** Calls an operation of the contract, and prints its name and the data of its answer. @throws Error unless it succeeds */
async function call<Name extends keyof Operations & string>(
  name: Name,
  parameters: Record<Parameters<Name>, string>,
  ...[body]: Body<Name>
): Promise<Operations[Name]['data']> {
  const [method = '', template = ''] = name.split(' ');
  const values = new Map<string, string>(Object.entries(parameters));
  const path = template.replace(/\{([^}]*)\}/g, (_, parameter: string) => values.get(parameter) ?? '');
  const response = await fetch(BASE_URL + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', prefer: 'handling=strict' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
  const answer: { data: Operations[Name]['data'] } = JSON.parse(text);
  console.log(JSON.stringify({ name, data: answer.data }));
  return answer.data;
}

/** The one that is there. @throws Error without it */
function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

const service = present((await call('GET /v1/services', {}))[0], 'service');
const role = present(
  (await call('GET /v1/iam_roles', {})).find(({ name }) => name === 'Driver'),
  'role of drivers',
);
const customer = await call('POST /v1/accounts', {}, { name: 'Bridge Builders', account_types: ['customer'], auto_accept_orders: false });
const pit = await call('POST /v1/sites', {}, { name: 'North pit', lat: '30.63', lon: '-97.67', site_type: 'Quarry' });
const bridge = await call('POST /v1/sites', {}, { name: 'SH 71 bridge', lat: '30.18', lon: '-97.53', site_type: 'JobSite' });
const material = await call('POST /v1/materials', {}, { name: 'Flex base' });
const kind = await call('POST /v1/equipment_types', {}, { name: 'Tri-axle' });
const truck = await call('POST /v1/equipment', {}, { name: 'Truck 12', equipment_type_id: kind.id });
const driver = await call(
  'POST /v1/users',
  {},
  {
    ...{ company_id: customer.company.id, first_name: 'Dora', last_name: 'Wheel', email: 'dora@hill.example' },
    ...{ iam_role_ids: [role.id], equipment_id: truck.id },
  },
);

const made = await call(
  'POST /v1/orders',
  {},
  {
    ...{ load_at: new Date(Date.now() + 3_600_000).toISOString(), truck_count: 1, truck_delay: 0, loads_per_truck: 1 },
    ...{ account_id: customer.id, service_id: service.id, material_id: material.id, equipment_type_id: kind.id, unit_of_measure: 'Ton' },
    quantity: 18,
    waypoints: [
      { type: 'pickup', site_id: pit.id, ordinality: 0 },
      { type: 'drop_off', site_id: bridge.id, ordinality: 1 },
    ],
  },
);
const order = await call('PUT /v1/orders/{order-id}/accept', { 'order-id': made.id }, {});
const job = present((await call('GET /v1/orders/{order-id}/jobs', { 'order-id': order.id }))[0], 'job');
const at = { 'job-id': job.id };
await call('PATCH /v1/jobs/{id}', { id: job.id }, { driver_id: driver.id });
await call('PUT /v1/jobs/{job-id}/request', at, {});
await call('PUT /v1/jobs/{job-id}/accept', at, {});
await call('PUT /v1/jobs/{job-id}/enroute', at, {});
await call('PUT /v1/jobs/{job-id}/arrive', at, {});
await call('PUT /v1/jobs/{job-id}/load_material', at, {});
await call('PUT /v1/jobs/{job-id}/enroute', at, {});
await call('PUT /v1/jobs/{job-id}/arrive', at, {});
await call('PUT /v1/jobs/{job-id}/unload_material', at, {});
await call('PUT /v1/jobs/{job-id}/complete_load', at, {});
await call('PUT /v1/jobs/{job-id}/complete', at, {});
await call('PUT /v1/jobs/{job-id}/approve', at, {});
const signed = await call('PUT /v1/jobs/{job-id}/sign_off', at, {});
const state: 'signed_off' = signed.state === 'signed_off' ? signed.state : fail(signed.state);
console.log(JSON.stringify({ name: 'end', data: state }));

function fail(state: string): never {
  throw new Error(`the job is ${state}`);
}

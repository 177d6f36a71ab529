import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeStaffedTenant, plannedOrder, type StaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { pagesOf } from '../documents/printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

/** A project by the ton, with another rate by truck and from the quarry, and two materials, one of which is sold. */
async function quoted(of: StaffedTenant): Promise<Json> {
  const project = await of.must('POST', '/v1/projects', {
    name: 'SH 130',
    ...{ account_id: of.account.id, po_job_number: 'PO-7', expires_at: '2027-03-31T18:00:00Z', site_id: of.dropoff.id },
    ...{ customer_rate_value: 12.5, customer_rate_type: 'RatePerTon', vendor_rate_value: 9.99, vendor_rate_type: 'RatePerTon' },
    project_material_totals: [{ material_id: of.material.id, total_quantity: 5000, unit_of_measure: 'Ton' }],
  });
  const truck = await of.save(EquipmentType, { company: ref(of.company), name: 'Tri-axle' });
  const sand = await of.save(Material, { company: ref(of.company), name: 'Sand' });
  const card = await of.must('POST', '/v1/rates', {
    name: 'By the hour',
    type: 'RatePerHour',
    owner_type: 'customer',
    time_rate: 95,
    time_minimum_minutes: 240,
    time_increment_minutes: 15,
  });
  await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
    site_id: of.pickup.id,
    equipment_type_id: truck.id,
    customer_rate_id: card.id,
  });
  // What vendors are paid is on no quote.
  await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
    material_id: sand.id,
    vendor_rate_value: 7.77,
    vendor_rate_type: 'RatePerTon',
  });
  const price = { unit_of_measure: 'Ton', buy_price: 3.33 };
  await of.must('POST', of.path('/material_rates'), { ...price, material_id: of.material.id, sell_price: 6.25 });
  await of.must('POST', of.path('/material_rates'), {
    ...price,
    material_id: sand.id,
    sell_price: 8,
    project_id: project.id,
    site_id: of.pickup.id,
  });
  return project;
}

test('a quote has the rates, materials and sites of a project for its customer, and nothing of what is paid to others', async () => {
  const of = await makeStaffedTenant(app);
  const project = await quoted(of);
  const quote = await of.admin.must('GET', of.path(`/projects/${project.id}/quote`));
  expect(quote).toMatchObject({
    ...{ project_id: project.id, name: 'SH 130', po_job_number: 'PO-7', valid_until: '2027-03-31', sites: ['Bridge'] },
    ...{ company: { name: of.company.legalName }, customer: { name: 'Customer' } },
  });
  const any = { pickup_site_name: null, dropoff_site_name: null, equipment_type_name: null, material_name: null };
  const none = {
    ...{ minimum_quantity: null, increment_quantity: null, minimum_minutes: null, increment_minutes: null, minimum_per: null },
    ...{ time_basis: null, full_day_minutes: null, breaks_paid: null, tiers: [], tier_mode: null, fuel_percentage: null, charges: [] },
  };
  expect(quote.rates).toEqual([
    { rate_type: 'RatePerTon', value: '12.5', ...none, ...any },
    {
      rate_type: 'RatePerHour',
      value: '95',
      ...none,
      ...{ minimum_minutes: 240, increment_minutes: 15, minimum_per: 'job', time_basis: 'job', breaks_paid: false },
      ...any,
      pickup_site_name: 'Quarry',
      equipment_type_name: 'Tri-axle',
    },
  ]);
  expect(quote.materials).toEqual([
    { name: 'Gravel', quantity: '5000', unit_of_measure: 'Ton', price: '6.25', price_unit_of_measure: 'Ton', site_name: null },
    { name: 'Sand', quantity: null, unit_of_measure: null, price: '8', price_unit_of_measure: 'Ton', site_name: 'Quarry' },
  ]);
  expect(JSON.stringify(quote)).not.toMatch(/9\.99|7\.77|3\.33/);
  const { data } = await of.admin.gql('query ($id: ID!) { projectQuote(projectId: $id) { number rates { value } project { name } } }', {
    id: project.id,
  });
  expect(data.projectQuote).toEqual({
    number: project.project_id,
    rates: [{ value: '12.5' }, { value: '95' }],
    project: { name: 'SH 130' },
  });
});

test('a quote is printed, in the language of the company', async () => {
  const of = await makeStaffedTenant(app, { language: 'fr' });
  const project = await quoted(of);
  const fetched = async (query = '', token = of.admin.token) => {
    const answer = await fetch(app.url + of.path(`/projects/${project.id}/quote/pdf${query}`), {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  };
  const pdf = await fetched();
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const text = (await pagesOf(pdf.bytes)).join('\n').replace(/\s+/g, ' ');
  for (const part of [
    'Soumission',
    'SH 130',
    'PO-7',
    'Customer',
    '12,50',
    '95,00',
    '6,25',
    '8,00',
    'Tri-axle',
    'depuis Quarry',
    'au moins 240 minutes, arrondi à un multiple supérieur de 15 minutes',
    'Page 1 de 1',
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(/9,99|7,77|3,33/);
  expect(Buffer.from((await fetched('?paper=a4')).bytes).toString('latin1')).toContain('[0 0 595.28 841.89]');
  expect((await fetched('?paper=napkin')).status).toBe(422);
  expect((await fetched('', of.dispatcher.token)).status).toBe(403);
});

test('who does not see customer rates, a vendor and a stranger get no quote', async () => {
  const [of, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const project = await quoted(of);
  const hired = await connect(of, vendor);
  await plannedOrder(of, { project_id: project.id, vendor_id: hired.id });
  expect((await of.dispatcher.http('GET', of.path(`/projects/${project.id}/quote`))).status).toBe(403);
  for (const path of [
    `/v1/projects/${project.id}/quote`,
    of.path(`/projects/${project.id}/quote`),
    vendor.path(`/projects/${project.id}/quote/pdf`),
  ])
    expect((await vendor.admin.http('GET', path)).status).toBe(404);
});

test('a rate and a price at a site that is not shared any more are not those of any place', async () => {
  const [of, supplier] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(supplier, of);
  const usual = { customer_rate_value: 12, customer_rate_type: 'RatePerTon' };
  const project = await of.must('POST', '/v1/projects', { name: 'SH 130', account_id: of.account.id, ...usual });
  const shared = await share(supplier, of, 'Site', supplier.pickup.id);
  const at = { site_id: supplier.pickup.id };
  await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, { ...at, ...usual, customer_rate_value: 7 });
  const price = { ...at, material_id: of.material.id, unit_of_measure: 'Ton', buy_price: 3, sell_price: 6.25, project_id: project.id };
  await of.must('POST', of.path('/material_rates'), price);
  const quoted = async () => {
    const { rates, materials } = await of.admin.must('GET', of.path(`/projects/${project.id}/quote`));
    return [...rates.map((one: Json) => [one.value, one.pickup_site_name]), ...materials.map((one: Json) => [one.price, one.site_name])];
  };
  expect(await quoted()).toEqual([
    ['12', null],
    ['7', supplier.pickup.name],
    ['6.25', supplier.pickup.name],
  ]);
  expect((await supplier.http('DELETE', supplier.path(`/company_shares/${shared.id}`))).status).toBe(204);
  expect(await quoted()).toEqual([
    ['12', null],
    [null, null],
  ]);
});

test('people who are limited to some sites get no quote, because rates at other sites are in it', async () => {
  const of = await makeStaffedTenant(app);
  const project = await quoted(of);
  const limited = await of.person({ roles: ['manager'] });
  const read = async () => (await limited.http('GET', of.path(`/projects/${project.id}/quote`))).status;
  expect(await read()).toBe(200);
  const scope = { resource_id: of.dropoff.id, resource_type: 'Site' };
  await of.admin.must('POST', `/v1/users/${limited.user.id}/resource_scopes`, scope);
  const listed: Json[] = await limited.must('GET', `/v1/projects/${project.id}/site_rate_schedules`);
  expect(listed.map(({ site }) => site?.id ?? null)).toEqual([null]);
  expect(await read()).toBe(403);
  expect((await limited.http('GET', of.path(`/projects/${project.id}/quote/pdf`))).status).toBe(403);
});

test('a printed quote says whether the rate of a tier is for what is above it, or for everything', async () => {
  const of = await makeStaffedTenant(app);
  const create = 'mutation($input: CreateRateInput!) { createRate(input: $input) { id } }';
  for (const [tierMode, said] of [
    ['slab', 'above 100: 8.00'],
    ['volume', 'from 100 on, 8.00 for everything'],
  ]) {
    const bounds = { unitRate: '9', unitMinimum: '0', unitIncrement: '0', tiers: [{ from: '100', rate: '8' }] };
    const input = { name: `By ${tierMode}`, ownerType: 'customer', type: 'RatePerTon', tierMode, ...bounds };
    const { data } = await of.admin.gql(create, { input });
    const wanted = { name: `Project by ${tierMode}`, account_id: of.account.id, customer_rate_id: data.createRate.id };
    const project = await of.must('POST', '/v1/projects', wanted);
    const answer = await fetch(app.url + of.path(`/projects/${project.id}/quote/pdf`), {
      headers: { Authorization: `Bearer ${of.admin.token}` },
    });
    expect((await pagesOf(new Uint8Array(await answer.arrayBuffer()))).join(' ')).toContain(said);
  }
});

test('long names are printed whole, hundreds of rates go on below their heading, and the same quote has the same bytes', async () => {
  const of = await makeStaffedTenant(app);
  const project = await quoted(of);
  const name = 'Reconstruction of State Highway 130 and its frontage roads from County Road 12 to the river, phase two of three';
  const account = 'Association of the Municipalities of the Northern Valley for Roads and Waterways';
  await of.must('PATCH', `/v1/projects/${project.id}`, { name });
  await of.must('PATCH', `/v1/accounts/${of.account.id}`, { name: account });
  for (let n = 100; n < 200; n++) await of.save(Material, { company: ref(of.company), name: `Stone ${n}` });
  await app.orm.em.fork().execute(
    `insert into site_rate_schedule (id, company_id, project_id, created_at, updated_at, material_id, customer_rate_value, customer_rate_type)
       select gen_random_uuid(), m.company_id, ?, now(), now(), m.id, right(m.name, 3)::numeric, 'RatePerLoad' from material m where m.company_id = ? and m.name like 'Stone %'`,
    [project.id, of.company.id],
  );
  const fetched = async () => {
    const path = of.path(`/projects/${project.id}/quote/pdf`);
    const answer = await fetch(app.url + path, { headers: { Authorization: `Bearer ${of.admin.token}` } });
    return Buffer.from(await answer.arrayBuffer());
  };
  const bytes = await fetched();
  const pages = await pagesOf(bytes);
  const lines = pages.join('\n').replace(/\s+/g, ' ');
  expect(lines).toContain(name);
  expect(lines).toContain(account);
  for (let value = 100; value < 200; value++) expect(lines).toContain(`${value}.00`);
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages.slice(0, -1)) expect(page).toContain('Per');
  const again = await fetched();
  // The date changes at midnight, once.
  expect(again.equals(bytes) || again.equals(await fetched())).toBe(true);
});

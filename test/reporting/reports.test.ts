import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: 'America/Chicago' });
});
afterAll(() => app.close());

const names = (records: Json[]): string[] => records.map(({ name }) => name);
const errorsOf = ({ status, body }: Json): string[] => [
  String(status),
  ...(body.error?.errors ?? []).map(({ field, message }: Json) => `${field}: ${message}`),
];
let made = 0;
async function kept(of: StaffedTenant, more: object = {}): Promise<{ category: Json; report: Json }> {
  const category = await of.admin.must('POST', of.path('/report_categories'), { name: `Category ${++made}` });
  const body = { name: `Report ${made}`, dashboard_id: 'loads_by_day', report_category_id: category.id, ...more };
  return { category, report: await of.admin.must('POST', of.path('/reports'), body) };
}
const linkOf = async (who: { must: StaffedTenant['must'] }, path: string): Promise<URL> =>
  new URL((await who.must('GET', path)).dashboard_url);
/** Returns the data for the page of a link. */
const dataOf = (link: URL, more = '', what = '') =>
  app.http('GET', `/v1/report_pages/${link.searchParams.get('report')}${what}?signature=${link.searchParams.get('signature')}${more}`);

test('every company has the built-in reports, and keeps its own next to them', async () => {
  const { category, report } = await kept(tenant, { name: 'Änderungen' });
  expect(report).toEqual({
    id: expect.any(String),
    name: 'Änderungen',
    dashboard_id: 'loads_by_day',
    system: false,
    report_category: { id: category.id, name: category.name, system: false },
  });
  const list = await tenant.dispatcher.must('GET', tenant.path('/reports?page[limit]=100'));
  expect(names(list)).toEqual(expect.arrayContaining(['Änderungen', 'Loads by day', 'Margin by week']));
  expect(list.find(({ name }: Json) => name === 'Loads by day')).toMatchObject({
    system: true,
    dashboard_id: 'loads_by_day',
    report_category: { name: 'Operations', system: true },
  });
  expect(await tenant.admin.must('GET', '/v1/reports?page[limit]=100')).toEqual(list);
  const categories = await tenant.driver.must('GET', tenant.path('/report_categories?page[limit]=100'));
  expect(names(categories)).toEqual(expect.arrayContaining(['Billing', category.name, 'Data', 'Operations']));
  for (const path of [`/v1/report_categories/${category.id}/reports`, tenant.path(`/report_categories/${category.id}/reports`)])
    expect(await tenant.admin.must('GET', path)).toEqual([report]);
  const operations = categories.find(({ name }: Json) => name === 'Operations');
  const built = await tenant.admin.must('GET', `/v1/report_categories/${operations.id}/reports`);
  expect(names(built)).toEqual(['Drivers', 'Loads by day', 'Loads by pickup site', 'Punctuality']);
  // Paged by name.
  const first = await tenant.admin.http('GET', '/v1/reports?page[limit]=1');
  expect(first.body.data).toEqual([list[0]]);
  expect(first.headers.get('link')).toContain('rel="next"');
});

test('a report is changed and deleted by those who keep reports, and by nobody of another company', async () => {
  const { category, report } = await kept(tenant);
  const changed = await tenant.admin.must('PATCH', `/v1/reports/${report.id}`, { name: 'Renamed', dashboard_id: 'drivers' });
  expect(changed).toEqual({ ...report, name: 'Renamed', dashboard_id: 'drivers' });
  expect((await tenant.dispatcher.http('PATCH', `/v1/reports/${report.id}`, { name: 'X' })).status).toBe(403);
  const other = await makeStaffedTenant(app);
  for (const [method, path] of [
    ['GET', `/v1/reports/${report.id}`],
    ['PATCH', `/v1/reports/${report.id}`],
    ['DELETE', `/v1/reports/${report.id}`],
    ['PATCH', `/v1/report_categories/${category.id}`],
    ['GET', `/v1/report_categories/${category.id}/reports`],
  ] as const)
    expect([path, (await other.admin.http(method, path, method === 'PATCH' ? { name: 'Stolen' } : undefined)).status]).toEqual([path, 404]);
  expect((await tenant.driver.http('GET', '/v1/reports')).status).toBe(403);
  const used = await tenant.admin.http('DELETE', `/v1/report_categories/${category.id}`);
  expect(used.status).toBe(400);
  expect((await tenant.admin.http('DELETE', `/v1/reports/${report.id}`)).status).toBe(204);
  expect((await tenant.admin.http('GET', `/v1/reports/${report.id}`)).status).toBe(404);
  expect((await tenant.admin.must('PATCH', `/v1/report_categories/${category.id}`, { name: `${category.name} 2` })).name).toBe(
    `${category.name} 2`,
  );
  expect((await tenant.admin.http('DELETE', `/v1/report_categories/${category.id}`)).status).toBe(204);
});

test('what is built in is not changed, and mistakes name their fields', async () => {
  const { category, report } = await kept(tenant);
  const list: Json[] = await tenant.admin.must('GET', '/v1/reports?page[limit]=100');
  const built = list.find(({ system }) => system);
  expect((await tenant.admin.http('PATCH', `/v1/reports/${built.id}`, { name: 'Mine' })).status).toBe(403);
  expect((await tenant.admin.http('DELETE', `/v1/report_categories/${built.report_category.id}`)).status).toBe(403);
  const create = (body: object) => tenant.admin.http('POST', tenant.path('/reports'), body);
  const good = { name: 'Good', dashboard_id: 'drivers', report_category_id: category.id };
  expect(errorsOf(await create({}))).toEqual(['422', 'name: is required', 'dashboard_id: is required', 'report_category_id: is required']);
  expect(errorsOf(await create({ ...good, dashboard_id: 'weather', system: true, report_category_id: report.id }))).toEqual([
    '422',
    'system: cannot be true: what is built in comes with the product',
    expect.stringMatching(/^dashboard_id: is none of loads_by_day, .*custom$/),
    'report_category_id: must exist',
  ]);
  expect(errorsOf(await create({ ...good, name: report.name.toUpperCase() }))).toEqual(['422', 'name: has already been taken']);
  expect(errorsOf(await create({ ...good, dashboard_id: 'custom' }))).toEqual(['422', 'definition: is required with the dashboard custom']);
  // A built-in category may have reports of companies.
  expect((await create({ ...good, report_category_id: built.report_category.id })).status).toBe(201);
});

const CREATE = `mutation($input: CreateReportInput!) { createReport(input: $input) { id dashboardId definition { measures groupBy filter period chart timeZone } } }`;

test('a report has a definition of its own, over GraphQL', async () => {
  const { category } = await kept(tenant);
  const input = {
    name: 'Tons to the north',
    dashboardId: 'custom',
    reportCategoryId: category.id,
    definition: { measures: ['loads', 'delivered_quantity'], groupBy: ['day', 'driver'], filter: { dropoffSiteIds: [tenant.dropoff.id] } },
  };
  const { data } = await tenant.admin.gql(CREATE, { input });
  expect(data.createReport).toMatchObject({
    dashboardId: 'custom',
    definition: { ...input.definition, period: 'last_30_days', chart: 'bar', timeZone: null },
  });
  const wrong = { ...input, name: 'Wrong', definition: { measures: ['orders'], groupBy: ['driver'], timeZone: 'Mars' } };
  const { errors } = await tenant.admin.gql(CREATE, { input: wrong });
  expect(errors[0].extensions.errors.map(({ field }: Json) => field)).toEqual(['definition.timeZone', 'definition.groupBy.0']);
  const reversed = { measures: ['loads'], filter: { startDate: '2026-11-07', endDate: '2026-11-01' } };
  const never = await tenant.admin.gql(CREATE, { input: { ...input, name: 'Never', definition: reversed } });
  expect(never.errors[0].extensions.errors.map(({ field }: Json) => field)).toEqual(['definition.filter.endDate']);
});

test('the link of a report opens its page for whoever has it, with what its reader may see now', async () => {
  const at = await makeStaffedTenant(app, { timeZone: 'America/Chicago', currency: 'USD' });
  const job = await readyJob(at, { load_at: '2026-11-02T13:00:00Z' });
  await drive(at.driver, job.id, ...shortHaul());
  const { report } = await kept(at);
  const link = await linkOf(at.dispatcher, `/v1/reports/${report.id}`);
  expect(link.pathname).toBe('/console/report');
  const days = '&from=2026-11-01&to=2026-11-07';
  const { status, body, headers } = await dataOf(link, days);
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect(body.data).toMatchObject({
    name: report.name,
    time_zone: 'America/Chicago',
    from: '2026-11-01',
    to: '2026-11-07',
    left_out: [],
    more: false,
  });
  expect(body.data.groups[0].keys).toEqual([{ dimension: 'day', value: '2026-11-02', label: null }]);
  expect(body.data.groups[0].values[0]).toEqual({ measure: 'loads', unit: null, value: '1' });
  expect(body.data.totals[0]).toEqual({ measure: 'loads', unit: null, value: '1' });
  const sheet = await dataOf(link, days, '/csv');
  expect(sheet.headers.get('content-type')).toContain('text/csv');
  expect(
    String(sheet.body)
      .replace(/^\uFEFF/, '')
      .split('\r\n')
      .slice(0, 2),
  ).toEqual(['day,loads', '2026-11-02,1']);
  const filter = { startDate: '2026-11-02T05:30:00Z', endDate: '2026-11-03T05:30:00Z' };
  const { data } = await at.admin.gql(CREATE, {
    input: {
      ...{ name: 'Some days', dashboardId: 'custom', reportCategoryId: (await kept(at)).category.id },
      definition: { measures: ['loads'], filter },
    },
  });
  const some = await dataOf(await linkOf(at.dispatcher, `/v1/reports/${data.createReport.id}`));
  expect(some.body.data).toMatchObject({ from: '2026-11-01', to: '2026-11-02' });
  // Another report, a changed signature and none at all open nothing.
  const other = new URL(link);
  other.searchParams.set('report', (await kept(at)).report.id);
  const changed = new URL(link);
  changed.searchParams.set('signature', `${link.searchParams.get('signature')!.slice(0, -2)}AA`);
  for (const wrong of [other, changed]) expect((await dataOf(wrong)).status).toBe(404);
  expect((await app.http('GET', `/v1/report_pages/${report.id}`)).status).toBe(404);
  expect((await dataOf(link, '&from=soon')).status).toBe(422);
  expect(errorsOf(await dataOf(link, '&from=2026-11-01&from=2026-11-02'))).toEqual(['422', 'from: is given more than once']);
  expect(errorsOf(await dataOf(link, '&from=2026-11-07&to=2026-11-01'))).toEqual(['422', 'to: must not be before the start']);
  // The other end is that of the report.
  expect(errorsOf(await dataOf(link, '&to=2000-01-01'))).toEqual(['422', 'to: must not be before the start']);
  expect(errorsOf(await dataOf(link, '&from=2999-01-01'))).toEqual(['422', 'from: must not be after the end']);
});

test('a page names parameters that it does not know, as lists do', async () => {
  const at = await makeStaffedTenant(app, { timeZone: 'America/Chicago' });
  const { report } = await kept(at);
  const link = await linkOf(at.dispatcher, `/v1/reports/${report.id}`);
  const typo = await dataOf(link, '&form=2026-11-01');
  expect([typo.status, typo.body.meta, typo.headers.get('warning')]).toEqual([200, { ignored: ['form'] }, '299 - "Ignored: form"']);
  const sheet = await dataOf(link, '&form=2026-11-01', '/csv');
  expect([sheet.status, sheet.headers.get('warning')]).toEqual([200, '299 - "Ignored: form"']);
  const known = await dataOf(link, '&from=2026-11-01');
  expect([known.status, known.body.meta, known.headers.get('warning')]).toEqual([200, undefined, null]);
  const path = `/v1/report_pages/${report.id}${link.search.replace(/report=[^&]*&/, '')}`;
  const strict = await app.http('GET', `${path}&form=2026-11-01`, { headers: { Prefer: 'handling=strict' } });
  expect([strict.status, strict.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['form']]);
});

test('a page leaves out money that its reader may not see, and is refused if nothing is left', async () => {
  const at = await makeStaffedTenant(app, { timeZone: 'America/Chicago', currency: 'USD' });
  const list: Json[] = await at.admin.must('GET', '/v1/reports?page[limit]=100');
  const called = (name: string) => list.find((one) => one.name === name).id;
  const customers = await dataOf(await linkOf(at.dispatcher, at.path(`/reports/${called('Customers')}`)));
  expect([customers.body.data.left_out, customers.body.data.measures.map(({ measure }: Json) => measure)]).toEqual([
    ['receivable'],
    ['loads', 'delivered_quantity'],
  ]);
  const whole = await linkOf(at.admin, at.path(`/reports/${called('Customers')}`));
  expect((await dataOf(whole)).body.data.left_out).toEqual([]);
  expect((await dataOf(await linkOf(at.dispatcher, `/v1/reports/${called('Margin by week')}`))).status).toBe(403);
  // A person who leaves takes the link along.
  const leaving = await at.person({ roles: ['company_admin'] });
  const last = await linkOf({ must: leaving.must as never }, `/v1/reports/${called('Customers')}`);
  expect((await dataOf(last)).status).toBe(200);
  await at.admin.must('DELETE', `/v1/users/${leaving.user.id}`);
  expect((await dataOf(last)).status).toBe(404);
});

test('names in sheets are no formulas', async () => {
  const at = await makeStaffedTenant(app, { timeZone: 'America/Chicago' });
  const job = await readyJob(at, { load_at: '2026-11-02T13:00:00Z' });
  await drive(at.driver, job.id, ...shortHaul());
  await at.admin.must('PATCH', `/v1/sites/${at.pickup.id}`, { name: '=HYPERLINK("http://evil")' });
  const list: Json[] = await at.admin.must('GET', '/v1/reports?page[limit]=100');
  const { id } = list.find(({ name }) => name === 'Loads by pickup site');
  const sheet = await dataOf(await linkOf(at.admin, `/v1/reports/${id}`), '&from=2026-11-01&to=2026-11-07', '/csv');
  expect(String(sheet.body)).toContain(`"'=HYPERLINK(""http://evil"")",1`);
});

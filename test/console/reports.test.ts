import { beforeAll, expect } from '@jest/globals';
import { localDate } from '../../src/platform/time.ts';
import { drive, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { hasBrowser } from '../helpers/where.ts';
import { zoneAt } from '../helpers/zones.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();
/** Where no day ends while the figures of today are looked at. */
const zone = zoneAt(12);
beforeAll(async () => {
  if (!hasBrowser) return;
  await operator.app.orm.em.execute('update company set time_zone = ? where id = ?', [zone, operator.tenant.company.id]);
});

async function staffed(): Promise<StaffedTenant> {
  const { tenant } = operator;
  const person = (role: string) => tenant.person({ roles: [role] });
  return { ...tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
}

withBrowser('reports are listed by category and opened, the own ones next to the built-in ones', async () => {
  const at = await staffed();
  const category = await at.admin.must('POST', at.path('/report_categories'), { name: 'Weeks' });
  await at.admin.must('POST', at.path('/reports'), { name: 'Our loads', dashboard_id: 'loads_by_day', report_category_id: category.id });
  const { page, complaints, hosts } = await operator.open('/console/reports');
  await operator.signIn(page);
  const own = page.getByRole('region', { name: 'Weeks' });
  await own.getByText('of the company').waitFor();
  const built = page.getByRole('region', { name: 'Operations' });
  expect(await built.getByRole('button').allTextContents()).toEqual(['Drivers', 'Loads by day', 'Loads by pickup site', 'Punctuality']);
  await page.getByText(/^\d\d reports\.$/).waitFor();
  await own.getByRole('button', { name: 'Our loads' }).click();
  await page.getByRole('heading', { name: 'Our loads' }).waitFor();
  await page.goBack();
  await built.getByRole('button', { name: 'Punctuality' }).click();
  await page.getByRole('heading', { name: 'Punctuality' }).waitFor();
  expect([complaints, [...hosts]]).toEqual([[], [operator.app.url]]);
});

withBrowser('the day has its figures, which are those of the metrics, and follow what happens', async () => {
  const at = await staffed();
  const job = await readyJob(at, { load_at: new Date().toISOString(), loads_per_truck: 1 });
  const { page, complaints } = await operator.open('/console/day');
  await operator.signIn(page);
  const figures = page.getByLabel('Figures of the day');
  const figure = (name: string) => figures.locator('div', { has: page.getByText(name, { exact: true }) }).locator('dd');
  await figure('Loads').getByText('0', { exact: true }).waitFor();
  await drive(at.driver, job.id, ...shortHaul());
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  await at.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'T-1', quantity: '21.46', unit_of_measure: 'Ton' });
  await figure('Loads').getByText('1', { exact: true }).waitFor();
  await page.reload();
  await figure('Delivered').getByText('21.46 Ton').waitFor();
  const day = localDate(new Date(), zone);
  const path = at.path(`/metrics?measures[]=loads&measures[]=delivered_quantity&filter[start_date]=${day}&filter[end_date]=${day}`);
  const [{ values }] = await at.admin.must('GET', path);
  expect(values.map(({ value }: { value: string }) => value)).toEqual(['1', '21.46']);
  expect(complaints).toEqual([]);
});

withBrowser('who may not read reports has no page for them', async () => {
  const { page } = await operator.open('/console/reports');
  await operator.signIn(page, await operator.colleague('driver'));
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  expect(await page.getByRole('link', { name: 'Reports' }).count()).toBe(0);
});

import { expect } from '@jest/globals';
import { drive, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();

/** A report on the loads of a company, of which there is one on 2 November 2026. */
async function reported(): Promise<string> {
  const { tenant } = operator;
  const person = (role: string) => tenant.person({ roles: [role] });
  const staffed: StaffedTenant = { ...tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
  const job = await readyJob(staffed, { load_at: '2026-11-02T13:00:00Z', loads_per_truck: 1 });
  await drive(staffed.driver, job.id, ...shortHaul());
  const reports: { id: string; name: string }[] = await staffed.admin.must('GET', '/v1/reports?page[limit]=100');
  const { id } = reports.find(({ name }) => name === 'Loads by day')!;
  return new URL((await staffed.admin.must('GET', `/v1/reports/${id}`)).dashboard_url).href.replace(/^https?:\/\/[^/]+/, '');
}

withBrowser('a report is drawn, has a table and a sheet, and asks nobody but the server', async () => {
  const { page, complaints, hosts } = await operator.open(await reported());
  await page.getByRole('heading', { name: 'Loads by day' }).waitFor();
  await page.getByLabel('From').fill('2026-11-01');
  await page.getByLabel('To').fill('2026-11-07');
  await page.getByRole('button', { name: 'Show' }).click();
  const row = page.getByRole('row', { name: '2026-11-02 1' });
  await row.waitFor();
  expect(await page.getByRole('row', { name: /^All 1/ }).count()).toBe(1);
  // Something is drawn.
  const plot = page.getByRole('img', { name: /^Loads, drawn/ });
  await until(async () =>
    plot.evaluate((canvas: unknown) => {
      const { width, height, getContext } = canvas as { width: number; height: number; getContext: unknown };
      const context = (getContext as (kind: string) => { getImageData(...at: number[]): { data: Uint8Array } }).call(canvas, '2d');
      return context.getImageData(0, 0, width, height).data.some((byte) => byte !== 0);
    }),
  );
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('Loads by day 2026-11-01 2026-11-07.csv');
  // On paper there is the table, and nothing to press.
  await page.emulateMedia({ media: 'print' });
  expect([await row.isVisible(), await page.getByRole('button', { name: 'Print' }).isVisible()]).toEqual([true, false]);
  expect([complaints, [...hosts]]).toEqual([[], [operator.app.url]]);
});

withBrowser('a link that is over says so', async () => {
  const { page } = await operator.open('/console/report?report=018cc251-f400-7000-8000-0d0200000001&signature=nothing');
  await page.getByRole('alert').getByText('This link is over').waitFor();
});

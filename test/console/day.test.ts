import { beforeAll, expect } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Geofence, RoutingGeofence } from '../../src/directory/sites/geofence.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { drive, jobOf, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import type { Person } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { hasBrowser } from '../helpers/where.ts';
import { zoneAt } from '../helpers/zones.ts';
import { makeOperator, withBrowser } from './operator.ts';

const TILES = 'https://tiles.example';
const operator = makeOperator({ tiles: { url: `${TILES}/{z}/{x}/{y}.png`, attribution: '© "Somebody"' } });

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(operator.app.orm.em.fork())).query(text, values)).rows;

let tenant: StaffedTenant;
beforeAll(async () => {
  if (!hasBrowser) return;
  await sql('update company set time_zone = $2 where id = $1', [operator.tenant.company.id, zoneAt(12)]);
  const { company, pickup, dropoff } = operator.tenant;
  const own = { company: ref(company) };
  for (const [site, lat] of [
    [pickup, 30.2],
    [dropoff, 30.4],
  ] as const) {
    const circle = { name: site.name, type: 'circle' as const, circleCenter: { lat, lon: -97.7 }, circleRadius: 300 };
    const geofence = await operator.tenant.save(Geofence, { ...own, ...circle });
    const fence = await operator.tenant.save(RoutingGeofence, { ...own, geofence: ref(geofence), geofenceType: 'circle', tag: 'site' });
    await sql('update site set lat = $2, lon = -97.7, routing_geofence_id = $3 where id = $1', [site.id, lat, fence.id]);
  }
  const person = (role: string) => operator.tenant.person({ roles: [role] });
  tenant = { ...operator.tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
});

/** Somebody who drives to the pickup of a job of today. */
async function driving(firstName: string): Promise<{ driver: Person; job: Json }> {
  const driver = await tenant.person({ roles: ['driver'], firstName, lastName: 'Wheel' });
  const job = await jobOf(tenant, { driver_id: driver.id, load_at: new Date().toISOString() });
  await drive(driver, job.id, 'enroute');
  return { driver, job };
}
async function seen(driver: Person, lat: number, job?: Json): Promise<void> {
  const location = { lat, lon: -97.7, occurred_at: new Date().toISOString(), ...(job ? { job_id: job.id } : {}) };
  expect((await driver.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations: [location] })).status).toBe(204);
}

withBrowser('the day shows where trucks of jobs under way are, and nobody who is off duty', async () => {
  const { driver, job } = await driving('Dora');
  await seen(driver, 30.25, job);
  const { page, complaints, asked, hosts } = await operator.open('/console/day');
  const tiles: string[] = [];
  await page.route(`${TILES}/**`, (route) => {
    tiles.push(route.request().url());
    return route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  });
  await operator.signIn(page);
  await page.getByText('1 job, 1 truck on the road').waitFor();
  const truck = page.getByRole('button', { name: /^Dora Wheel, last seen/ });
  await truck.waitFor();
  await page.getByRole('region', { name: 'to pickup, 1' }).getByRole('button', { name: job.job_id }).waitFor();
  // Both sites, and the circles around them.
  await page.locator('.site .fence').nth(1).waitFor();
  expect(await page.locator('.site .fence').count()).toBe(2);
  await page.getByText('© "Somebody"').waitFor();
  expect(tiles[0]).toMatch(/^https:\/\/tiles\.example\/\d+\/\d+\/\d+\.png$/);
  expect([...hosts].sort()).toEqual([operator.app.url, TILES].sort());
  // By keyboard, too: the map is moved, and a truck picks its job.
  const place = () => truck.getAttribute('transform');
  const before = await place();
  await page.getByRole('application').press('ArrowRight');
  await until(async () => (await place()) !== before);
  await truck.press('Enter');
  await page.locator('.jobs li[aria-current=true]', { hasText: job.job_id }).waitFor();
  expect(page.url()).toContain(`job=${job.id}`);
  // Another day has its own sites, and this one none.
  const picked = page.url();
  await page.getByLabel('Day', { exact: true }).fill('2020-01-06');
  await page.getByText('No site of the day has coordinates.').waitFor();
  await page.goBack();
  await page.locator('.site .fence').nth(1).waitFor();
  expect(page.url()).toBe(picked);

  // Off duty, also in a company that keeps such positions.
  const settings = 'mutation { updateCompanySettings(input: { trackOffDuty: true }) { trackOffDuty } }';
  expect((await tenant.admin.gql(settings)).errors).toBeUndefined();
  await driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  await seen(driver, 30.33, job);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('1 job, 0 trucks on the road').waitFor();
  expect(await page.locator('.truck').count()).toBe(0);
  const kept = await sql('select count(*)::int as count from location_history where user_id = $1', [driver.id]);
  expect(kept).toEqual([{ count: 2 }]);
  const known = await operator.tenant.gql('{ latestLocations { id } }');
  expect(known.data.latestLocations).toEqual([]);
  expect(complaints).toEqual([]);
  expect(asked.filter((path) => !/^\/(graphql|graphql\/stream|v1\/auth\/login|\d+\/\d+\/\d+\.png)$/.test(path))).toEqual([]);
});

withBrowser(
  'the day is read when something changes, and again and again, not while nobody sees it, and more rarely after failures',
  async () => {
    await driving('Lena');
    const { page } = await operator.open('/console');
    await operator.signIn(page);
    await page.getByRole('heading', { name: 'Imports' }).waitFor();
    await page.clock.install();
    let reads = 0;
    let away = false;
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes('dayBoard')) return route.continue();
      reads++;
      return away ? route.abort() : route.continue();
    });
    await page.route(`${TILES}/**`, (route) => route.abort());
    await page.goto(`${operator.app.url}/console/day`);
    await page.getByText(/jobs?, \d trucks? on the road/).waitFor();
    // While the clock is stopped, nothing is read by time.
    await page.clock.pauseAt(Date.now() + 1_000);
    await driving('Mona');
    await page.getByText('Mona Wheel').waitFor();
    await operator.app.settled();
    const live = reads;
    await page.clock.fastForward(10_500);
    await until(async () => reads > live);

    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show(true);
    const before = reads;
    await page.clock.fastForward(60_000);
    expect(reads).toBe(before);
    away = true;
    await show(false);
    await page.getByRole('alert').filter({ hasText: 'What is shown is older. It is read again in 20 s.' }).waitFor();
    expect(reads).toBe(before + 1);
    await page.getByText('Mona Wheel').waitFor();
    await page.clock.fastForward(15_000);
    expect(reads).toBe(before + 1);
    await page.clock.fastForward(6_000);
    await page.getByRole('alert').filter({ hasText: 'It is read again in 40 s.' }).waitFor();
    away = false;
    await page.clock.fastForward(41_000);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  },
);

withBrowser('a truck moves on the map when its telephone reports, without waiting for the next look', async () => {
  const { driver, job } = await driving('Nora');
  await seen(driver, 30.25, job);
  const { page } = await operator.open('/console');
  await operator.signIn(page);
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  await page.clock.install();
  await page.route(`${TILES}/**`, (route) => route.abort());
  await page.goto(`${operator.app.url}/console/day`);
  const truck = page.getByRole('button', { name: /^Nora Wheel, last seen/ });
  await truck.waitFor();
  await page.locator('.site .fence').nth(1).waitFor();
  // While the clock of the page is stopped, it looks at nothing by itself.
  await page.clock.pauseAt(Date.now() + 1_000);
  const place = () => truck.getAttribute('transform');
  const before = await place();
  let lat = 30.26;
  // A report that comes before the page follows is in no answer.
  await until(async () => {
    lat += 0.000_1;
    await seen(driver, lat, job);
    return (await place()) !== before;
  });
});

withBrowser('the day is worked by keyboard alone: its map is moved and scaled, and trucks and jobs are picked', async () => {
  const { driver, job } = await driving('Kim');
  await seen(driver, 30.25, job);
  const { page, complaints } = await operator.open('/console/day');
  await page.route(`${TILES}/**`, (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );
  await operator.signIn(page);
  const truck = page.getByRole('button', { name: /^Kim Wheel, last seen/ });
  await truck.waitFor();
  await page.locator('.site .fence').nth(1).waitFor();
  const { keyboard } = page;
  const focused = (): Promise<string> =>
    page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? ''");
  const tabTo = async (name: RegExp, key = 'Tab') => {
    // There are fewer stops than this on the page.
    for (let stops = 0; stops < 60 && !name.test(await focused()); stops++) await keyboard.press(key);
    expect(await focused()).toMatch(name);
  };

  // One key leads over the head and the map to the jobs.
  await tabTo(/^Skip to the jobs$/);
  await keyboard.press('Enter');
  await tabTo(new RegExp(`^${job.job_id}$`));
  const picked = page.locator('.jobs li[aria-current=true]', { hasText: job.job_id });
  await keyboard.press('Enter');
  await picked.waitFor();
  await page.locator('.truck.picked', { hasText: 'Kim Wheel' }).waitFor();
  expect(page.url()).toContain(`job=${job.id}`);
  // Its place in the page is kept, and the same key lets go of it.
  expect(await focused()).toBe(job.job_id);
  await keyboard.press('Enter');
  await picked.waitFor({ state: 'detached' });

  await tabTo(/^Map of 2 sites and \d+ trucks/, 'Shift+Tab');
  const place = () => truck.getAttribute('transform');
  const whole = await place();
  for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown', '+', '-', '=']) {
    const before = await place();
    await keyboard.press(key);
    await until(async () => (await place()) !== before);
  }
  await keyboard.press('0');
  await until(async () => (await place()) === whole);
  await tabTo(/^Kim Wheel, last seen/);
  await keyboard.press('Space');
  await picked.waitFor();
  await tabTo(/^Nearer$/);
  const before = await place();
  await keyboard.press('Enter');
  await until(async () => (await place()) !== before);
  await tabTo(/^Today$/, 'Shift+Tab');
  await keyboard.press('Enter');
  await picked.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

withBrowser('the map begins with all trucks in it, and writes names of what is at one place below each other', async () => {
  const away = await driving('Away');
  await seen(away.driver, 30.6, away.job);
  for (const name of ['Queuing 10', 'Queuing 9', 'Queuing 11']) {
    const { driver, job } = await driving(name);
    await seen(driver, 30.4, job);
  }
  // At the southern end of the map.
  for (const name of ['Loading 1', 'Loading 2', 'Loading 3']) {
    const { driver, job } = await driving(name);
    await seen(driver, 30.2, job);
  }
  const { page } = await operator.open('/console/day');
  await page.route(`${TILES}/**`, (route) => route.abort());
  await operator.signIn(page);
  await page.locator('.site .fence').nth(1).waitFor();
  const trucks = page.locator('.truck text', { hasText: 'Queuing' });
  await trucks.nth(2).waitFor();
  // Farther north than any site.
  const far = page.getByRole('button', { name: /^Away Wheel, last seen/ });
  await until(async () => Number(/ (-?[\d.]+)\)/.exec((await far.getAttribute('transform'))!)![1]) > 0);
  const texts = [...(await trucks.all()), page.locator('.site text', { hasText: tenant.dropoff.name })];
  const boxes = await Promise.all(texts.map(async (text) => (await text.boundingBox())!));
  const overlapping = boxes.flatMap((a, i) =>
    // The boxes of texts have room above and below the letters.
    boxes.slice(i + 1).filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < 0.7 * a.height),
  );
  expect(overlapping).toEqual([]);
  await page.locator('.truck text', { hasText: 'Loading' }).nth(2).waitFor();
  const frame = (await page.locator('.map svg').boundingBox())!;
  const last = (await page.locator('.site text', { hasText: tenant.pickup.name }).boundingBox())!;
  expect(last.y + 0.8 * last.height).toBeLessThan(frame.y + frame.height);
  // By name: in the order of their reports they would change places all the time.
  const lines = (await trucks.allTextContents()).map((name, i) => ({ name, y: boxes[i]!.y }));
  expect(lines.sort((a, b) => a.y - b.y).map(({ name }) => name)).toEqual(['Queuing 9 Wheel', 'Queuing 10 Wheel', 'Queuing 11 Wheel']);
});

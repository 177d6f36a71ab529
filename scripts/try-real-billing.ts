import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ref } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities, published, registerRooms } from '../src/app/rooms.ts';
import { Company } from '../src/directory/companies/company.entity.ts';
import { Service } from '../src/directory/master-data/named.entities.ts';
import { PERMISSIONS } from '../src/identity/access/permissions.ts';
import { makeMachineClient } from '../src/identity/machine-clients/machine-clients.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../src/platform/database/orm.ts';
import { poolOf } from '../src/platform/database/sql.ts';
import { Decimal } from '../src/platform/decimal.ts';
import { closing, startProduct } from './bench/start.ts';
import { type DieselWeek, hourlySum, siteDaysOf, totalsByWeek, weekOf } from './real/billing/expected.ts';
import { BY_HOUR, BY_TON, DATES, INDICES, SCHEDULE } from './real/billing/terms.ts';
import { workOfDays, workOfHours, writeWork } from './real/billing/work.ts';
import { readRows, type ScaleLoad } from './real/files.ts';
import { call } from './real/product.ts';
import { Trial } from './real/trial.ts';

/**
 * Real input: a quarter of a city's scale loads, priced by the ton with a minimum and a fuel surcharge, and settled by week and site; hourly rates of
 * trucks; and what a schedule charges on dates that were looked up by hand. `npm run try:real:billing -- FOLDER` with `scale-loads.csv`,
 * `weekly-diesel.csv` and `truck-hourly-rates.csv`
 */
const folder = process.argv[2];
if (!folder) {
  process.stderr.write('usage: npm run try:real:billing -- FOLDER_WITH_CSV_FILES\n');
  process.exit(2);
}

interface TruckRate {
  type: string;
  hourly_rate_usd: string;
}
interface Made {
  id: string;
}
/** A day in the middle of the quarter. */
const HOURLY_DAY = '2018-02-14';
const ZONE_OFFSET = '-06:00';

async function main(): Promise<boolean> {
  const days = siteDaysOf(readRows<ScaleLoad>(folder!, 'scale-loads.csv'));
  const weeks = readRows<DieselWeek>(folder!, 'weekly-diesel.csv');
  const trucks = readRows<TruckRate>(folder!, 'truck-hourly-rates.csv');
  const data = mkdtempSync(join(tmpdir(), 'haulgate-real-billing-'));
  closing.push(() => rmSync(data, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: data });
  closing.push(() => postgres.stop());
  registerRooms();
  const orm = await createOrm({ url: postgres.url, entities });
  closing.push(() => orm.close(true));
  await migrate(orm, published);
  const { url } = await startProduct(postgres.url, data, 'all');
  const access = await makeCompany(orm, new URL(url!).origin);
  const trial = new Trial(access, data);
  const api = await apiOf(access);

  const sites = [...new Set(days.map(({ site }) => site))].sort();
  const accounts = new Map<string, string>();
  for (const name of [...sites, ...trucks.map(({ type }) => type)]) {
    const { id } = await api.root<Made>('POST', '/accounts', { name, account_types: ['customer'] });
    accounts.set(name, id);
  }
  const addOns = await makeFuel(api, weeks);
  for (const site of sites)
    await call(access.base_url, api.token, 'POST', `/v1/accounts/${accounts.get(site)}/auto_add_on_assignments`, {
      ...{ account_type: 'customer', add_on_id: addOns.gulf },
    });
  await checkDates(trial, api, addOns);

  const byTon = await rateCard(api, 'By the ton', {
    type: 'RatePerTon',
    unit_rate: BY_TON.rate,
    unit_minimum: BY_TON.minimum,
    unit_increment: '0',
  });
  const hourly = [];
  for (const { type, hourly_rate_usd: rate } of trucks) {
    const minutes = { time_minimum_minutes: BY_HOUR.minimum, time_increment_minutes: BY_HOUR.increment };
    const { id } = await rateCard(api, type, { type: 'RatePerHour', time_rate: rate, ...minutes });
    hourly.push(...workOfHours(HOURLY_DAY, accounts.get(type)!, id, rate));
  }
  const work = [...workOfDays(days, accounts, byTon.id), ...hourly];
  const pool = await poolOf(orm.em);
  await writeWork(pool, access.company_id, access.serviceId, work);
  const loads = days.reduce((count, day) => count + day.loads.length, 0);
  trial.say(`${work.length} jobs with ${loads} loads at ${sites.length} sites, from ${days[0]!.date} to ${days.at(-1)!.date}`);
  await bill(
    trial,
    api,
    pool,
    days.map(({ date }) => date),
  );

  const found = await trial.all<{ startsOn: string; totalAmount: string; customerAccount: { name: string } }>(
    'query($after: String) { list: settlements(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { startsOn totalAmount customerAccount { name } } } }',
  );
  const product = new Map(
    found.map(({ startsOn, totalAmount, customerAccount }) => [`${weekOf(startsOn)} ${customerAccount.name}`, new Decimal(totalAmount)]),
  );
  const file = totalsByWeek(days, weeks, INDICES.gulf);
  for (const { type, hourly_rate_usd: rate } of trucks) file.set(`${weekOf(HOURLY_DAY)} ${type}`, hourlySum(rate));
  trial.holds('each week of a site is one settlement', found.length === product.size);
  trial.compare('settled by week and site', file, product);
  const all = [...file.values()].reduce((sum, total) => sum.plus(total), new Decimal(0));
  trial.say(`${found.length} settlements over ${all.toFixed(2)}`);
  return trial.verdict();
}

type Access = ConstructorParameters<typeof Trial>[0] & { serviceId: string };

async function makeCompany(orm: MikroORM, origin: string): Promise<Access> {
  const em = orm.em.fork();
  const company = Object.assign(new Company(), { legalName: 'Trial', platformId: 'B111ED', timeZone: 'America/Chicago', currency: 'USD' });
  const service = Object.assign(new Service(), { company: ref(company), name: 'Haulage' });
  em.persist([company, service]);
  const { client, clientSecret } = makeMachineClient(em, company, { name: 'Trial', permissions: PERMISSIONS });
  await em.flush();
  return {
    base_url: origin,
    client_id: client.clientId,
    client_secret: clientSecret,
    company_id: company.id,
    users: [],
    serviceId: service.id,
  };
}

type Api = Awaited<ReturnType<typeof apiOf>>;
/** The requests of the trial to the product, in its company. */
async function apiOf({ base_url: url, client_id, client_secret, company_id }: Access) {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const at = (path: string) => `/v1/companies/${company_id}${path}`;
  return {
    ...{ url, token },
    post: <T>(path: string, body: object) => call<T>(url, token, 'POST', at(path), body),
    put: <T>(path: string) => call<T>(url, token, 'PUT', at(path), {}),
    get: <T>(path: string) => call<T>(url, token, 'GET', at(path)),
    root: <T>(method: string, path: string, body?: object) => call<T>(url, token, method, `/v1${path}`, body),
  };
}

const rateCard = (api: Api, name: string, more: object): Promise<Made> =>
  api.root('POST', '/rates', { name, owner_type: 'customer', ...more });

/** Each week's price of both indices, a blank being no price, and a schedule and an add-on for each. @returns the add-ons */
async function makeFuel(api: Api, weeks: readonly DieselWeek[]): Promise<Record<keyof typeof INDICES, string>> {
  const made = async (column: string) => {
    const index = await api.post<Made>('/fuel_price_indices', { name: column });
    for (const { week, [column]: price } of weeks)
      if (price !== '') await api.root('POST', `/fuel_price_indices/${index.id}/fuel_prices`, { date: week, price });
    const follows = { name: column, fuel_price_index_id: index.id, surcharge_type: 'percentage' };
    const schedule = await api.post<Made>('/fuel_surcharge_schedules', follows);
    for (const row of SCHEDULE) await api.root('POST', `/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`, row);
    const fuel = { revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id };
    return (await api.post<Made>('/add_ons', { name: `Fuel, ${column}`, add_on_types: ['invoicing'], ...fuel })).id;
  };
  return { gulf: await made(INDICES.gulf), west: await made(INDICES.west) };
}

async function checkDates(trial: Trial, api: Api, addOns: Record<keyof typeof INDICES, string>): Promise<void> {
  for (const [date, index, , percent] of DATES) {
    const path = `/add_ons/${addOns[index]}/fuel_surcharge_rate?filter[date]=${date}`;
    const { surcharge_percentage: found } = await api.get<{ surcharge_percentage: string | null }>(path);
    const same = percent === null ? found === null : found !== null && new Decimal(found).eq(percent);
    trial.holds(`on ${date} the ${index} schedule charges ${percent ?? 'nobody knows what'}`, same);
  }
}

/** Waits for the invoices, approves them, and settles week by week. */
async function bill(trial: Trial, api: Api, pool: Awaited<ReturnType<typeof poolOf>>, dates: readonly string[]): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from invoice_task');
    if (rows[0]!.count === 0) break;
    await new Promise((wake) => setTimeout(wake, 200));
  }
  const invoices = await trial.all<{ id: string; blockers: string[]; invoiceLineItems: unknown[] }>(
    'query($after: String) { list: invoices(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id blockers } } }',
  );
  trial.holds(
    'nothing keeps an invoice from being approved',
    invoices.every(({ blockers }) => blockers.length === 0),
  );
  for (const { id } of invoices) await api.put(`/invoices/${id}/approve`);
  trial.say(`${invoices.length} invoices are approved`);
  for (const week of [...new Set(dates.map(weekOf))].sort()) {
    const last = new Date(Date.parse(`${week}T00:00:00Z`) + 6 * 86_400_000).toISOString().slice(0, 10);
    const period = {
      start_date: `${week}T12:00:00${ZONE_OFFSET}`,
      end_date: `${last}T12:00:00${ZONE_OFFSET}`,
      bulk_create_for: ['customers'],
    };
    await api.post('/settlements/bulk_create', period);
  }
  for (;;) {
    const { rows } = await pool.query<{ open: number }>(`select count(*)::int as open from bulk_action where finished_at is null`);
    if (rows[0]!.open === 0) return;
    await new Promise((wake) => setTimeout(wake, 200));
  }
}

let agreed = false;
try {
  agreed = await main();
} finally {
  for (const close of closing.reverse()) await close();
}
process.exit(agreed ? 0 : 1);

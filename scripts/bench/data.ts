import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

const USUAL_ORDERS = 20_000;

/** The factor of the usual number of orders (`--scale 10`): ten times are 200,000 orders and 5,000,000 loads. Less than 1 is to try something. */
export const SCALE = scaleOf(process.argv);

function scaleOf(args: readonly string[]): number {
  const at = args.findIndex((arg) => arg === '--scale' || arg.startsWith('--scale='));
  if (at < 0) return 1;
  const scale = Number(args[at]!.split('=')[1] ?? args[at + 1]);
  if (!(Number.isInteger(scale) || scale < 1) || !(scale >= 0.01) || scale > 100)
    throw new Error('--scale must be a whole number from 1 to 100, or less than 1 and at least 0.01');
  return scale;
}

/** Size of the generated world. Company 1 has half of everything, like the largest tenant of a shared installation. */
export const SIZE = {
  companies: 20,
  orders: 4 * Math.round((USUAL_ORDERS * SCALE) / 4),
  jobsPerOrder: 5,
  loadsPerJob: 5,
  sites: 40,
  projects: 2_000,
};

/** Returns the id of the n-th generated record of a kind, which both servers and the driver can compute. */
export const idSql = (kind: string, n: string): string => `md5('${kind}' || (${n}))::uuid`;

/** The id of a generated record, as `idSql` makes it. */
export const idOf = (kind: string, n: number | string): string =>
  createHash('md5')
    .update(`${kind}${n}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Orders that are there beyond the usual ones are older, in both halves: what is read of a time is as much as without them. */
const MORE = Math.max(0, SIZE.orders - USUAL_ORDERS) / 2;
const time = (n: string) =>
  `(timestamptz '2026-11-01 06:00Z' + (${n} - case when ${n} <= ${SIZE.orders / 2} then ${MORE} else ${2 * MORE} end) * interval '1 minute')`;

const company = (n: string) => `case when (${n}) <= ${SIZE.orders / 2} then 1 else 2 + (${n}) % ${SIZE.companies - 1} end`;

/** Realistic names of places and customers: few words in many combinations. */
const named = (n: string) =>
  `(array['North','South','Upper','Lower','Saint-Étienne','Old'])[1 + (${n}) % 6] || ' ' || (array['Granite','Sandstone','Chalk','Slate','Marble','Gravel','Basalt'])[1 + (${n}) % 7] || ' ' || (array['Pit','Quarry','Works','Plant','Depot'])[1 + (${n}) % 5] || ' ' || (${n})`;

/** The lists that typeaheads search: places and customers of the largest company. */
const TYPEAHEADS = [
  [
    'places to type',
    `insert into site (id, company_id, name, external_id, site_type, full_address)
     select ${idSql('typed-site', 'n')}, ${idSql('company', '1')}, ${named('n')}, 'X' || n, 'Quarry', n || ' County Road, Guelph ON' from generate_series(1, 10000) n`,
  ],
  [
    'customers to type',
    `insert into account (id, company_id, name, account_types, external_id)
     select ${idSql('typed-account', 'n')}, ${idSql('company', '1')}, ${named('n')}, '{customer}', 'X' || n from generate_series(1, 50000) n`,
  ],
] as const;

/** A day of the largest company to read and to plan, in its own zone. It is far from the rest, so that no other list begins with it. */
export const DAY = { date: '2027-02-01', starts: '2027-02-01T05:00:00Z', ends: '2027-02-02T05:00:00Z', orders: 100, jobs: 500 };
const ofDay = `(select 'day-' || k k, k n from generate_series(1, ${DAY.orders}) k) x`;
const dayAt = "(timestamptz '2027-02-01 11:00Z' + n * interval '5 minutes')";
const THE_DAY = [
  [
    'orders of a day',
    `insert into orders (id, created_at, updated_at, company_id, number, order_id, name, external_id, state, account_id, service_id, material_id, load_at, truck_count,
                         loads_per_truck, quantity, unit_of_measure, load_unit_of_measure, job_quantity, route_id)
     select ${idSql('order', 'k')}, '2026-01-01', '2026-01-01', ${idSql('company', '1')}, 900000 + n, (900000 + n)::text, 'Order ' || k, 'ORD-' || k, 'accepted',
            ${idSql('account', "'1-' || (1 + n % 20)")}, ${idSql('service', "'1-' || (1 + n % 10)")}, ${idSql('material', "'1-' || (1 + n % 10)")}, ${dayAt}, 5, 5, 550, 'Ton', 'Ton', 5,
            ${idSql('route', 'k')} from ${ofDay}`,
  ],
  [
    'waypoints of a day',
    `insert into waypoint (id, route_id, company_id, type, ordinality, site_id)
     select ${idSql('waypoint', "k || '-' || w")}, ${idSql('route', 'k')}, ${idSql('company', '1')}, case w when 0 then 'pickup' else 'drop_off' end, w, ${idSql('site', `'1-' || (1 + (n + w * 7) % ${SIZE.sites})`)}
     from ${ofDay}, generate_series(0, 1) w`,
  ],
  [
    'jobs of a day',
    `insert into job (id, created_at, updated_at, company_id, order_id, number, job_id, state, job_start_at, quantity, unit_of_measure, load_unit_of_measure,
                      service_id, material_id, driver_id, equipment_id, billable_hours, requested_loads_count, route_id)
     select ${idSql('job', "k || '-' || j")}, '2026-01-01', '2026-01-01', ${idSql('company', '1')}, ${idSql('order', 'k')}, j, (900000 + n) || '-' || j, 'assigned',
            ${dayAt} + j * interval '15 minutes', 5, 'Load', 'Ton', ${idSql('service', "'1-' || (1 + n % 10)")}, ${idSql('material', "'1-' || (1 + n % 10)")},
            ${idSql('user', "'1-' || (1 + (n + j) % 50)")}, ${idSql('equipment', "'1-' || (1 + (n + j) % 50)")}, 0, 5, ${idSql('route', 'k')}
     from ${ofDay}, generate_series(1, ${DAY.jobs / DAY.orders}) j`,
  ],
] as const;

/** Fills an empty, migrated database, in about a minute. The database makes everything from counters. */
export async function generate(pool: Pool, log: (line: string) => void): Promise<void> {
  const run = async (what: string, sql: string) => {
    const started = performance.now();
    const { rowCount } = await pool.query(sql);
    log(`  ${what}: ${rowCount ?? 0} rows in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  await run(
    'companies',
    `insert into company (id, platform_id, legal_name, time_zone)
     select ${idSql('company', 'n')}, upper(lpad(to_hex(n), 6, '0')), 'Company ' || n, 'America/Toronto' from generate_series(1, ${SIZE.companies}) n`,
  );
  await run(
    'accounts',
    `insert into account (id, company_id, name, account_types, external_id)
     select ${idSql('account', "c || '-' || n")}, ${idSql('company', 'c')}, 'Customer ' || n, '{customer}', 'C' || n
     from generate_series(1, ${SIZE.companies}) c, generate_series(1, 20) n`,
  );
  await run(
    'addresses',
    `insert into address (id, company_id, thoroughfare, locality, administrative_area, postal_code, country, lat, lon)
     select ${idSql('address', "c || '-' || n")}, ${idSql('company', 'c')}, n || ' Pit Road', 'Guelph', 'ON', 'N1G ' || n || 'A1', 'CA', 43.5 + n * 0.001, -80.2 - n * 0.001
     from generate_series(1, ${SIZE.companies}) c, generate_series(1, ${SIZE.sites}) n`,
  );
  await run(
    'sites',
    `insert into site (id, company_id, name, external_id, site_type, lat, lon, full_address, routable, address_id)
     select ${idSql('site', "c || '-' || n")}, ${idSql('company', 'c')}, 'Site ' || n, 'S' || n, case when n % 2 = 0 then 'Quarry' else 'JobSite' end,
            43.5 + n * 0.001, -80.2 - n * 0.001, n || ' Pit Road, Guelph ON', true, ${idSql('address', "c || '-' || n")}
     from generate_series(1, ${SIZE.companies}) c, generate_series(1, ${SIZE.sites}) n`,
  );
  for (const table of ['material', 'service', 'equipment_type']) {
    await run(
      table,
      `insert into ${table} (id, company_id, name)
       select ${idSql(table, "c || '-' || n")}, ${idSql('company', 'c')}, '${table} ' || n from generate_series(1, ${SIZE.companies}) c, generate_series(1, 10) n`,
    );
  }
  await run(
    'drivers',
    `insert into app_user (id, company_id, first_name, last_name, email, phone, roles)
     select ${idSql('user', "c || '-' || n")}, ${idSql('company', 'c')}, 'First' || n, 'Last' || n, 'd' || n || '@c' || c || '.example', '+1519' || lpad((c * 10000 + n)::text, 7, '0'), '{driver}'
     from generate_series(1, ${SIZE.companies}) c, generate_series(1, 50) n`,
  );
  await run(
    'trucks',
    `insert into equipment (id, company_id, name, external_id, equipment_type_id)
     select ${idSql('equipment', "c || '-' || n")}, ${idSql('company', 'c')}, 'Truck ' || n, 'T' || n, ${idSql('equipment_type', "c || '-1'")}
     from generate_series(1, ${SIZE.companies}) c, generate_series(1, 50) n`,
  );
  await run(
    'projects',
    `insert into project (id, company_id, number, project_id, name, external_id, account_id)
     select ${idSql('project', 'n')}, ${idSql('company', 'c')}, n, 'P-' || n, 'Project ' || md5(n::text), 'PRJ-' || n, ${idSql('account', "c || '-' || (1 + n % 20)")}
     from (select n, case when n <= ${SIZE.projects / 2} then 1 else 2 + n % ${SIZE.companies - 1} end c from generate_series(1, ${SIZE.projects}) n) x`,
  );
  await run(
    'orders',
    `insert into orders (id, created_at, updated_at, company_id, number, order_id, name, external_id, state, account_id, service_id, material_id, load_at, truck_count,
                         loads_per_truck, quantity, unit_of_measure, load_unit_of_measure, job_quantity, customer_rate_type, customer_rate_value, notes, route_id)
     select ${idSql('order', 'n')}, t, t, ${idSql('company', 'c')}, n, n::text, 'Order ' || n, 'ORD-' || n, (array['created','accepted','in_progress','completed'])[1 + n % 4],
            ${idSql('account', "c || '-' || (1 + n % 20)")}, ${idSql('service', "c || '-' || (1 + n % 10)")}, ${idSql('material', "c || '-' || (1 + n % 10)")}, t, ${SIZE.jobsPerOrder},
            ${SIZE.loadsPerJob}, 550, 'Ton', 'Ton', ${SIZE.loadsPerJob}, 'RatePerTon', 14.5, 'Call before arrival', ${idSql('route', 'n')}
     from (select n, ${company('n')} c, ${time('n')} t from generate_series(1, ${SIZE.orders}) n) x`,
  );
  await run('counters', `insert into company_counter (company_id, kind, value) select id, 'order', ${SIZE.orders} from company`);
  await run(
    'waypoints',
    `insert into waypoint (id, route_id, company_id, type, ordinality, site_id)
     select ${idSql('waypoint', "n || '-' || w")}, ${idSql('route', 'n')}, ${idSql('company', 'c')}, case w when 0 then 'pickup' else 'drop_off' end, w, ${idSql('site', `c || '-' || (1 + (n + w * 7) % ${SIZE.sites})`)}
     from (select n, ${company('n')} c from generate_series(1, ${SIZE.orders}) n) x, generate_series(0, 1) w`,
  );
  await run(
    'jobs',
    `insert into job (id, created_at, updated_at, company_id, order_id, number, job_id, state, job_start_at, quantity, unit_of_measure, load_unit_of_measure,
                      service_id, material_id, driver_id, equipment_id, billable_hours, requested_loads_count, route_id)
     select ${idSql('job', "n || '-' || j")}, t + j * interval '1 second', t, ${idSql('company', 'c')}, ${idSql('order', 'n')}, j, n || '-' || j,
            (array['created','accepted','to_dropoff','completed'])[1 + n % 4], t + j * interval '15 minutes', ${SIZE.loadsPerJob}, 'Load', 'Ton',
            ${idSql('service', "c || '-' || (1 + n % 10)")}, ${idSql('material', "c || '-' || (1 + n % 10)")}, ${idSql('user', "c || '-' || (1 + (n + j) % 50)")},
            ${idSql('equipment', "c || '-' || (1 + (n + j) % 50)")}, 0, ${SIZE.loadsPerJob}, ${idSql('route', 'n')}
     from (select n, ${company('n')} c, ${time('n')} t from generate_series(1, ${SIZE.orders}) n) x, generate_series(1, ${SIZE.jobsPerOrder}) j`,
  );
  await run(
    'loads',
    `insert into load (id, created_at, updated_at, company_id, job_id, order_id, ordinality, load_id, state, quantity, unit_of_measure, material_id, notes, route_id,
                       summary_arrived_pickup_at, summary_loaded_at, summary_arrived_dropoff_at, summary_unloaded_at, summary_load_completed_at)
     select ${idSql('load', "n || '-' || j || '-' || l")}, t + (j * 10 + l) * interval '1 second', t, ${idSql('company', 'c')}, ${idSql('job', "n || '-' || j")}, ${idSql('order', 'n')}, l,
            n || '-' || j || '-' || l, (array['created','created','to_dropoff','completed'])[1 + n % 4], 20 + l + 0.25, 'Ton', ${idSql('material', "c || '-' || (1 + n % 10)")}, 'Gate 4', ${idSql('route', 'n')},
            -- Times go as far as the state does, as the product keeps them.
            case when n % 4 >= 2 then t + interval '20 minutes' end, case when n % 4 >= 2 then t + interval '29 minutes' end,
            case when n % 4 = 3 then t + interval '58 minutes' end, case when n % 4 = 3 then t + interval '66 minutes' end, case when n % 4 = 3 then t + interval '67 minutes' end
     from (select n, ${company('n')} c, ${time('n')} t from generate_series(1, ${SIZE.orders}) n) x,
          generate_series(1, ${SIZE.jobsPerOrder}) j, generate_series(1, ${SIZE.loadsPerJob}) l`,
  );
  for (const [what, sql] of [...TYPEAHEADS, ...THE_DAY]) await run(what, sql);
  const started = performance.now();
  await pool.query('vacuum analyze');
  log(`  vacuum analyze in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

import type { Pool } from 'pg';
import { newId } from '../../../src/platform/ids.ts';
import type { SiteDay } from './expected.ts';
import { BY_HOUR, BY_TON, HOURS } from './terms.ts';

/** A job that is done and approved, at the rate of a rate card, for a customer. */
interface Work {
  date: string;
  accountId: string;
  rate: object;
  hours?: string;
  loads: { number: string; tons: string }[];
  unweighed: number;
}

/** The rate of a rate card as it is noted on a job when its work is done. */
const noted = (rateId: string, type: string, value: string, minimum: string, increment: string) => ({
  customer: {
    source: 'rate_card',
    rate_id: rateId,
    rate_name: 'card',
    rate_type: type,
    value,
    minimum,
    increment,
    terms: null,
    matched: [],
  },
});

/** The days of the sites as jobs, each site being a customer. */
export const workOfDays = (days: readonly SiteDay[], accounts: ReadonlyMap<string, string>, rateId: string): Work[] =>
  days.map(({ date, site, loads, unweighed }) => ({
    ...{ date, unweighed, accountId: accounts.get(site)!, rate: noted(rateId, 'RatePerTon', BY_TON.rate, BY_TON.minimum, '0') },
    loads: loads.map(({ number, tons }) => ({ number, tons: tons.toFixed() })),
  }));

/** Jobs that are paid by the hour, of a kind of truck that is a customer. */
export const workOfHours = (date: string, accountId: string, rateId: string, value: string): Work[] =>
  HOURS.map((hours) => ({
    ...{ date, hours, accountId, loads: [], unweighed: 0 },
    rate: noted(rateId, 'RatePerHour', value, String(BY_HOUR.minimum), String(BY_HOUR.increment)),
  }));

const AT = (column: string) => `((w ->> 'date') || ' 06:00')::timestamp at time zone 'America/Chicago' ${column}`;
const ORDERS = `insert into orders (id, company_id, number, order_id, name, state, account_id, service_id, load_at, truck_count, loads_per_truck, quantity, unit_of_measure,
    load_unit_of_measure, job_quantity, route_id)
  select (w ->> 'orderId')::uuid, $2, (w ->> 'number')::int, w ->> 'number', 'Work of ' || (w ->> 'date'), 'completed', (w ->> 'accountId')::uuid, $3, ${AT('')}, 1, 1, 1, 'Load', 'Ton', 1,
    gen_random_uuid() from jsonb_array_elements($1::jsonb) w`;
const JOBS = `insert into job (id, company_id, order_id, number, job_id, state, state_changed_at, job_start_at, quantity, unit_of_measure, load_unit_of_measure, service_id, billable_hours,
    billable_hours_overridden, requested_loads_count, route_id, rate_source, approved_at, billing_approved_at, biller_approved)
  select (w ->> 'jobId')::uuid, $2, (w ->> 'orderId')::uuid, 1, (w ->> 'number') || '-1', 'completed', ${AT('')}, ${AT('')}, 1, 'Load', 'Ton', $3,
    coalesce(w ->> 'hours', '0')::numeric, w ? 'hours', 1, gen_random_uuid(), w -> 'rate', ${AT('')}, ${AT('')}, true from jsonb_array_elements($1::jsonb) w`;
// A load that was not weighed was not delivered: it is one that was canceled.
const LOADS = `insert into load (id, company_id, job_id, order_id, ordinality, load_id, state, unit_of_measure, route_id, approved_at, billing_approved_at, biller_approved)
  select (l ->> 'id')::uuid, $2, (w ->> 'jobId')::uuid, (w ->> 'orderId')::uuid, n, (w ->> 'number') || '-1-' || n, case when l ? 'tons' then 'completed' else 'canceled' end, 'Ton', gen_random_uuid(),
    ${AT('')}, ${AT('')}, l ? 'tons'
  from jsonb_array_elements($1::jsonb) w, jsonb_array_elements(w -> 'loads') with ordinality u(l, n)`;
const TICKETS = `insert into ticket (id, company_id, state, source, unit_of_measure, ticket_number, load_id, job_id, order_id, quantity)
  select gen_random_uuid(), $2, 'approved', 'manual_upload', 'Ton', l ->> 'number', (l ->> 'id')::uuid, (w ->> 'jobId')::uuid, (w ->> 'orderId')::uuid, (l ->> 'tons')::numeric
  from jsonb_array_elements($1::jsonb) w, jsonb_array_elements(w -> 'loads') l where l ? 'tons'`;
const ASKED = `insert into invoice_task (id, company_id, due_at) select (w ->> 'jobId')::uuid, $2, now() from jsonb_array_elements($1::jsonb) w`;
const COUNTED = `insert into company_counter (company_id, kind, value) values ($1, 'order', $2) on conflict (company_id, kind) do update set value = excluded.value`;

/** Writes work that is done, and asks for its invoices: what happened on the road is not what is tried. */
export async function writeWork(pool: Pool, companyId: string, serviceId: string, work: readonly Work[]): Promise<void> {
  const rows = work.map((one, i) => ({
    ...{ ...one, number: i + 1, orderId: newId(), jobId: newId() },
    loads: [...one.loads.map((load) => ({ ...load, id: newId() })), ...Array.from({ length: one.unweighed }, () => ({ id: newId() }))],
  }));
  const said = JSON.stringify(rows);
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const sql of [ORDERS, JOBS]) await client.query(sql, [said, companyId, serviceId]);
    for (const sql of [LOADS, TICKETS, ASKED]) await client.query(sql, [said, companyId]);
    await client.query(COUNTED, [companyId, rows.length]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

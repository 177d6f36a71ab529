import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { DAY } from './data.ts';
import { LATEST_POSITIONS, positionValues, STORE_POSITIONS } from './limit-positions.ts';
import { RECORDS } from './limit-records.ts';
import { WRITES } from './limit-writes.ts';
import { writtenRows } from './same.ts';

/**
 * The limit: what the same machine achieves with one hand-written SQL statement for each question, whose JSON PostgreSQL writes, behind
 * node:http. It has no authentication and no contract, and every change is a rewrite.
 */
const COMPANY = process.env.BENCH_COMPANY_ID!;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
/** For statements by key, which are planned once for each connection. */
const keyed = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c plan_cache_mode=force_generic_plan' });

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const text = (column: string) => `trim_scale(${column})::text`;
const ADDRESS = `json_build_object('id', ad.id, 'thoroughfare', ad.thoroughfare, 'premise', ad.premise, 'locality', ad.locality, 'administrativeArea', ad.administrative_area,
  'postalCode', ad.postal_code, 'country', ad.country, 'lat', ${text('ad.lat')}, 'lon', ${text('ad.lon')}, 'placeId', ad.place_id)`;
const SITE = `json_build_object('id', s.id, 'name', s.name, 'lat', ${text('s.lat')}, 'lon', ${text('s.lon')}, 'fullAddress', s.full_address, 'routable', s.routable,
  'discardedAt', ${iso('s.discarded_at')}, 'address', case when ad.id is null then null else ${ADDRESS} end)`;
const WAYPOINTS = (
  route: string,
  site: string,
) => `(select coalesce(json_agg(json_build_object('id', w.id, 'type', w.type, 'ordinality', w.ordinality, 'site', ${site}) order by w.ordinality), '[]')
  from waypoint w join site s on s.id = w.site_id left join address ad on ad.id = s.address_id where w.route_id = ${route})`;

/** w1: a page of loads, about 60 fields, three deep. */
const LOADS = `select json_build_object('data', json_build_object('loads', json_build_object('nodes', coalesce(json_agg(json_build_object(
  'id', l.id, 'loadId', l.load_id, 'jobId', regexp_replace(l.load_id, '-\\d+$', ''), 'ordinality', l.ordinality, 'createdAt', ${iso('l.created_at')}, 'updatedAt', ${iso('l.updated_at')}, 'state', l.state,
  'quantity', ${text('l.quantity')}, 'unitOfMeasure', l.unit_of_measure, 'notes', l.notes, 'approvedAt', ${iso('l.approved_at')}, 'billingApprovedAt', ${iso('l.billing_approved_at')}, 'fieldApprovedAt', ${iso('l.field_approved_at')},
  'material', json_build_object('id', m.id, 'name', m.name, 'externalId', m.external_id),
  'loadSummary', json_build_object('arrivedPickupAt', ${iso('l.summary_arrived_pickup_at')}, 'loadedAt', ${iso('l.summary_loaded_at')}, 'arrivedDropoffAt', ${iso('l.summary_arrived_dropoff_at')},
     'unloadedAt', ${iso('l.summary_unloaded_at')}, 'loadCompletedAt', ${iso('l.summary_load_completed_at')}, 'gpsMinutes', l.summary_gps_minutes, 'hasGpsData', l.summary_has_gps_data,
     'pickupTimeMinutes', coalesce(floor(extract(epoch from l.summary_loaded_at - l.summary_arrived_pickup_at) / 60)::int, 0),
     'dropoffTimeMinutes', coalesce(floor(extract(epoch from l.summary_unloaded_at - l.summary_arrived_dropoff_at) / 60)::int, 0)),
  'job', json_build_object('id', j.id, 'jobId', j.job_id, 'state', j.state, 'jobStartAt', ${iso('j.job_start_at')}, 'quantity', ${text('j.quantity')}, 'unitOfMeasure', j.unit_of_measure, 'priority', j.priority,
     'driver', json_build_object('id', d.id, 'firstName', d.first_name, 'lastName', d.last_name, 'phone', d.phone, 'email', d.email),
     'order', json_build_object('id', o.id, 'orderId', o.order_id, 'name', o.name, 'state', o.state, 'loadAt', ${iso('o.load_at')}, 'quantity', ${text('o.quantity')}, 'unitOfMeasure', o.unit_of_measure, 'externalId', o.external_id,
        'account', json_build_object('id', a.id, 'name', a.name, 'externalId', a.external_id), 'service', json_build_object('id', sv.id, 'name', sv.name))),
  'waypoints', ${WAYPOINTS('l.route_id', `json_build_object('id', s.id, 'name', s.name, 'lat', ${text('s.lat')}, 'lon', ${text('s.lon')}, 'fullAddress', s.full_address)`)}
  ) order by l.created_at desc, l.id desc), '[]'))))
  from (select * from load where company_id = $1 order by created_at desc, id desc limit 100) l
  join job j on j.id = l.job_id join orders o on o.id = j.order_id left join material m on m.id = l.material_id left join app_user d on d.id = j.driver_id
  left join account a on a.id = o.account_id left join service sv on sv.id = o.service_id`;

/** w2: the dashboard: 25 orders with their jobs, loads, waypoints and sites. */
const DASHBOARD = `select json_build_object('data', json_build_object('orders', json_build_object('nodes', coalesce(json_agg(json_build_object(
  'id', o.id, 'orderId', o.order_id, 'name', o.name, 'state', o.state, 'loadAt', ${iso('o.load_at')}, 'truckCount', o.truck_count, 'quantity', ${text('o.quantity')}, 'unitOfMeasure', o.unit_of_measure,
  'account', json_build_object('id', a.id, 'name', a.name), 'material', json_build_object('id', m.id, 'name', m.name),
  'waypoints', ${WAYPOINTS('o.route_id', SITE)},
  'jobs', json_build_object('nodes', (select coalesce(json_agg(json_build_object('id', j.id, 'jobId', j.job_id, 'state', j.state, 'jobStartAt', ${iso('j.job_start_at')},
      'driver', json_build_object('id', d.id, 'firstName', d.first_name, 'lastName', d.last_name, 'phone', d.phone),
      'loads', json_build_object('nodes', (select coalesce(json_agg(json_build_object('id', l.id, 'loadId', l.load_id, 'state', l.state, 'quantity', ${text('l.quantity')}, 'unitOfMeasure', l.unit_of_measure) order by l.created_at desc, l.id desc), '[]')
         from (select * from load x where x.job_id = j.id order by created_at desc, id desc limit 25) l))) order by j.created_at desc, j.id desc), '[]')
      from (select * from job x where x.order_id = o.id order by created_at desc, id desc limit 25) j left join app_user d on d.id = j.driver_id))
  ) order by o.created_at desc, o.id desc), '[]'))))
  from (select * from orders where company_id = $1 order by created_at desc, id desc limit 25) o left join account a on a.id = o.account_id left join material m on m.id = o.material_id`;

/** w4: one page far down a company's loads. */
const DEEP = `select json_build_object('data', json_build_object('loads', json_build_object('nodes', coalesce(json_agg(json_build_object('id', id, 'loadId', load_id, 'state', state, 'quantity', ${text('quantity')},
  'createdAt', ${iso('created_at')}) order by created_at desc, id desc), '[]'))))
  from (select * from load where company_id = $1 and (created_at, id) < ($2, $3) order by created_at desc, id desc limit 25) l`;

/** w3, w9 and w10: typing into the box of projects, sites or accounts, best matches first, without accents and case. */
const typed = (table: string, more: string) => `with q as materialized (select fold($2) as whole)
  select json_build_object('data', coalesce(json_agg(json_build_object('id', id, 'name', name, 'external_id', external_id)), '[]'))
  from (select id, name, external_id from ${table}, q where company_id = $1 and ${more} discarded_at is null and search_text like search_pattern($3) and search_text like search_pattern($4)
  order by case when starts_with(search_text, whole || E'\\n') or position(E'\\n' || whole || E'\\n' in search_text) > 0 then 0 when starts_with(search_text, whole) then 1
    when position(' ' || whole in search_text) > 0 then 2 else 3 end, lower(name), id limit 25) p`;
const TYPED_PROJECTS = typed('project', "state = 'active' and");
const TYPED_SITES = typed('site', "state = 'active' and");
const TYPED_ACCOUNTS = typed('account', '');

/** w11: a dispatcher's day: its orders, jobs by state, drivers and trucks with their work of the day. */
const within = (column: string) => `${column} >= $2::timestamptz and ${column} < $3::timestamptz`;
const availability = (off: string) => `case when ${off} then 'off' when w.booked then 'booked' else 'available' end`;
const COUNTS = `count(*) filter (where state not in ('rejected', 'canceled')) n, bool_or(state not in ('rejected', 'canceled', 'completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid')) booked`;
const DAY_BOARD = `with jobs as materialized (select * from job where company_id = $1 and ${within('job_start_at')})
  select json_build_object('data', json_build_object('dayBoard', json_build_object('date', $4::text,
  'orders', (select coalesce(json_agg(json_build_object('id', o.id, 'orderId', o.order_id, 'name', o.name, 'state', o.state, 'loadAt', ${iso('o.load_at')}, 'account',
      json_build_object('id', a.id, 'name', a.name)) order by o.load_at, o.id), '[]')
    from orders o left join account a on a.id = o.account_id where o.company_id = $1 and (${within('o.load_at')} or o.id in (select order_id from jobs))),
  'jobsByState', (select coalesce(json_agg(json_build_object('state', state, 'count', n, 'jobs', of)), '[]') from (
    select j.state, count(*) n, json_agg(json_build_object('id', j.id, 'jobId', j.job_id, 'state', j.state, 'jobStartAt', ${iso('j.job_start_at')},
      'order', json_build_object('id', o.id, 'orderId', o.order_id), 'driver', json_build_object('id', d.id, 'firstName', d.first_name, 'lastName', d.last_name),
      'equipment', json_build_object('id', e.id, 'name', e.name), 'waypoints', ${WAYPOINTS('j.route_id', "json_build_object('id', s.id, 'name', s.name)")})
      order by j.job_start_at, j.id) of
    from jobs j join orders o on o.id = j.order_id left join app_user d on d.id = j.driver_id left join equipment e on e.id = j.equipment_id group by j.state) x),
  'drivers', (select coalesce(json_agg(json_build_object('availability', ${availability(`exists (select 1 from scheduled_time_off f where f.user_id = d.id and f.start_date < $3::timestamptz and (f.end_date is null or f.end_date > $2::timestamptz))`)},
      'jobsCount', coalesce(w.n, 0), 'driver', json_build_object('id', d.id, 'firstName', d.first_name, 'lastName', d.last_name, 'phone', d.phone))
      order by lower(d.last_name || ' ' || d.first_name), d.id), '[]')
    from app_user d left join (select driver_id, ${COUNTS} from jobs group by driver_id) w on w.driver_id = d.id
    where d.company_id = $1 and 'driver' = any(d.roles) and d.discarded_at is null),
  'trucks', (select coalesce(json_agg(json_build_object('availability', ${availability("e.state <> 'active'")}, 'jobsCount', coalesce(w.n, 0),
      'truck', json_build_object('id', e.id, 'name', e.name, 'equipmentType', json_build_object('id', t.id, 'name', t.name))) order by lower(e.name), e.id), '[]')
    from equipment e left join equipment_type t on t.id = e.equipment_type_id
    left join (select u.id, ${COUNTS} from jobs, unnest(additional_equipment_ids || equipment_id) u(id) group by u.id) w on w.id = e.id
    where e.company_id = $1 and e.discarded_at is null))))`;

type Queries = Pick<pg.Pool, 'query'>;

/** Reads a record by the statement of a path. */
const readRecord = async (on: Queries, path: string, id: string | null): Promise<string> => {
  const { rows } = await on.query({ name: path, text: RECORDS[path]!, values: id ? [COMPANY, id] : [COMPANY], rowMode: 'array' });
  return `{"data":${rows[0]![0]}}`;
};

/** Writes a record and answers with it. One statement is one transaction; the answer is read behind it, because a statement does not see what it changes. */
const write = async (on: Queries, path: string, id: string, body: string): Promise<string> => {
  const { sql, read } = WRITES[path]!;
  const values = [COMPANY, id, randomUUID(), body];
  await on.query({ name: path, text: sql, values: sql.includes('$4') ? values : values.slice(0, 3) });
  return readRecord(on, read, id);
};

/** Answers what a write would answer, and the rows that it would write, and writes nothing. */
const tryWrite = async (...of: [path: string, id: string, body: string]): Promise<string> => {
  const client = await keyed.connect();
  try {
    await client.query('begin');
    const answered = JSON.parse(await write(client, ...of)) as object;
    const rows = await writtenRows(client, 't.xmin = pg_current_xact_id()::xid');
    await client.query('rollback');
    return JSON.stringify({ ...answered, rows });
  } finally {
    client.release();
  }
};

const bodyOf = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const answer = async (url: URL, req: IncomingMessage): Promise<string> => {
  const ask = async (name: string | undefined, sql: string, values: unknown[]) => {
    const { rows } = await pool.query({ name, text: sql, values, rowMode: 'array' });
    return rows[0]![0] as string;
  };
  const id = url.searchParams.get('id');
  if (url.pathname in RECORDS) return readRecord(keyed, url.pathname, id);
  if (url.pathname in WRITES) {
    const of = [url.pathname, id ?? randomUUID(), await bodyOf(req)] as const;
    return url.searchParams.has('trial') ? tryWrite(...of) : write(keyed, ...of);
  }
  if (url.pathname === '/w20') {
    await pool.query({ name: 'w20', text: STORE_POSITIONS, values: [COMPANY, id, ...positionValues(await bodyOf(req))] });
    return '{}';
  }
  if (url.pathname === '/w21') return ask('w21', LATEST_POSITIONS, [COMPANY]);
  if (url.pathname === '/w1') return ask('w1', LOADS, [COMPANY]);
  if (url.pathname === '/w2') return ask('w2', DASHBOARD, [COMPANY]);
  const typedWords = url.searchParams.get('q')?.split(' ') ?? [];
  const words = [COMPANY, typedWords.join(' '), typedWords[0], typedWords[1] ?? ''];
  // Without a name, so that each is planned for the typed text: a plan for any text would read the whole table.
  if (url.pathname === '/w3') return ask(undefined, TYPED_PROJECTS, words);
  if (url.pathname === '/w9') return ask(undefined, TYPED_SITES, words);
  if (url.pathname === '/w10') return ask(undefined, TYPED_ACCOUNTS, words);
  if (url.pathname === '/w11') return ask('w11', DAY_BOARD, [COMPANY, DAY.starts, DAY.ends, DAY.date]);
  return ask('w4', DEEP, [COMPANY, url.searchParams.get('at'), url.searchParams.get('id')]);
};

pg.types.setTypeParser(pg.types.builtins.JSON, (value) => value);

createServer((req, res) => {
  answer(new URL(req.url!, 'http://x'), req).then(
    (body) => res.writeHead(200, { 'content-type': 'application/json' }).end(body),
    (error) => res.writeHead(500).end(String(error)),
  );
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));

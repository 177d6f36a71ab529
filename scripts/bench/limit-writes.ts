/**
 * The SQL with which a hand-written server writes: one statement, which is one transaction, and then reads its answer. $1 is the company, $2 the
 * record, $3 the request, which is also named as the author, and $4 its body. The rows are those that the product writes, with outbox, audit log and transitions.
 */
const AUTHOR = 'created_by_type, created_by_id, created_by_name, request_id, created_at';
const BY = `'M2MClient', $3::uuid, 'bench', $3::uuid, now()`;
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const changed = (name: string, before: string, after: string) => `'${name}', jsonb_build_array(${before}, ${after})`;

const audit = (event: string, from: string) =>
  `insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, ${AUTHOR}) select gen_random_uuid(), $1, type, id, '${event}', changes, ${BY} from ${from}`;
const outbox = (name: string, payload: string, from: string) =>
  `insert into outbox_event (id, company_id, name, subject_type, subject_id, payload, ${AUTHOR}) select gen_random_uuid(), $1, ${name}, type, id, ${payload}, ${BY} from ${from}`;

/** The order, its audit entry and its event. */
const PATCH_ORDER = `with body as (select $4::jsonb ->> 'notes' as notes),
  moved as (update orders o set notes = body.notes, version = version + 1, updated_at = now() from body where o.id = $2 and o.company_id = $1
    returning 'Order' as type, o.id, jsonb_build_object(${changed('notes', 'old.notes', 'new.notes')}) as changes),
  audited as (${audit('update', 'moved')})
  ${outbox("'order.updated'", "'{}'", 'moved')}`;

/** The job and its load, what happened to the job, and for both an audit entry, a transition and an event. */
const ARRIVE = `with
  j as (update job set state = 'arrived_dropoff', state_changed_at = now(), version = version + 1, updated_at = now() where id = $2 and company_id = $1
    returning 'Job' as type, id, old.state as before, jsonb_build_object(${changed('state', 'old.state', 'new.state')},
      ${changed('state_changed_at', iso('old.state_changed_at'), iso('now()'))}) as changes),
  l as (update load set state = 'arrived_dropoff', summary_arrived_dropoff_at = now(), version = version + 1, updated_at = now()
    where id = (select id from load where job_id = $2 and state not in ('created', 'completed', 'canceled') order by ordinality limit 1)
    returning 'Load' as type, id, old.state as before, jsonb_build_object(${changed('state', 'old.state', 'new.state')},
      ${changed('summary_arrived_dropoff_at', iso('old.summary_arrived_dropoff_at'), iso('now()'))}) as changes),
  moved as (select * from j union all select * from l),
  noted as (insert into job_event (id, created_at, updated_at, company_id, job_id, load_id, event_name, state, event_source, occurred_at, created_by_type, created_by_id, created_by_name)
    select gen_random_uuid(), now(), now(), $1, j.id, l.id, name, 'arrived_dropoff', 'web', now(), 'M2MClient', $3::uuid, 'bench' from j, l, (values ('AtDropoff'), ('JobUnloading'), ('WaypointArrived')) n(name)),
  stepped as (insert into transition (id, company_id, subject_type, subject_id, event, from_state, to_state, ${AUTHOR})
    select gen_random_uuid(), $1, type, id, 'arrive', before, 'arrived_dropoff', ${BY} from moved),
  audited as (${audit('update', 'moved')})
  ${outbox("lower(type) || '.arrived'", "jsonb_build_object('state', 'arrived_dropoff', 'state_event', 'arrive', 'previous_state', before)", 'moved')}`;

const TERMS = 'service_id, material_id, foreman_ids, collaborator_ids, salesperson_ids, load_unit_of_measure';
/** The keys that an order does not have and its audit entry does not name. */
const UNNAMED = "'{id,created_at,updated_at,version}'::text[]";

/** The order with its number, stops, jobs and loads, what happened to the jobs, an audit entry and an event. */
const CREATE_ORDER = `with
  body as (select x.*, $4::jsonb -> 'waypoints' as waypoints from jsonb_to_record($4::jsonb) x (account_id uuid, service_id uuid, material_id uuid, load_at timestamptz, truck_count int,
    truck_delay int, loads_per_truck int, quantity numeric, unit_of_measure text, load_unit_of_measure text, job_quantity numeric, job_unit_of_measure text, notes text)),
  counted as (insert into company_counter as c (company_id, kind, value) values ($1, 'order', 1) on conflict (company_id, kind) do update set value = c.value + 1 returning value),
  o as (insert into orders (id, created_at, updated_at, company_id, number, order_id, state, account_id, service_id, material_id, load_at, truck_count, truck_delay, loads_per_truck, quantity,
      unit_of_measure, load_unit_of_measure, job_quantity, job_unit_of_measure, notes, route_id)
    select $2, now(), now(), $1, value, value::text, 'created', account_id, service_id, material_id, load_at, truck_count, truck_delay, loads_per_truck, quantity,
      unit_of_measure, load_unit_of_measure, job_quantity, job_unit_of_measure, notes, gen_random_uuid() from body, counted returning *),
  w as (insert into waypoint (id, created_at, updated_at, company_id, route_id, type, ordinality, site_id)
    select gen_random_uuid(), now(), now(), $1, o.route_id, x.type, x.ordinality, x.site_id from o, body, jsonb_to_recordset(body.waypoints) x (type text, ordinality int, site_id uuid)),
  j as (insert into job (id, created_at, updated_at, company_id, order_id, number, job_id, state, job_start_at, quantity, unit_of_measure, ${TERMS}, priority, billable_hours, requested_loads_count, route_id)
    select gen_random_uuid(), now(), now(), $1, o.id, n, o.order_id || '-' || n, 'created', o.load_at + (n - 1) * o.truck_delay * interval '1 minute', o.job_quantity, o.job_unit_of_measure, ${TERMS},
      0, 0, o.loads_per_truck, o.route_id from o, generate_series(1, o.truck_count) n returning *),
  l as (insert into load (id, created_at, updated_at, company_id, job_id, order_id, ordinality, load_id, state, unit_of_measure, material_id, foreman_ids, route_id)
    select gen_random_uuid(), now(), now(), $1, j.id, j.order_id, n, j.job_id || '-' || n, 'created', j.load_unit_of_measure, j.material_id, j.foreman_ids, j.route_id
    from j, generate_series(1, j.requested_loads_count) n),
  noted as (insert into job_event (id, created_at, updated_at, company_id, job_id, event_name, state, event_source, occurred_at, created_by_type, created_by_id, created_by_name)
    select gen_random_uuid(), now(), now(), $1, id, 'JobCreated', 'created', 'automation', now(), 'M2MClient', $3::uuid, 'bench' from j),
  made as (select 'Order' as type, o.id, (select jsonb_object_agg(key, jsonb_build_array(null, case when jsonb_typeof(value) = 'number' and key like '%quantity' then to_jsonb(trim_scale((value #>> '{}')::numeric)::text)
      when key = 'load_at' then to_jsonb(${iso('o.load_at')}) else value end)) from jsonb_each(jsonb_strip_nulls(to_jsonb(o)) - ${UNNAMED})) as changes from o),
  audited as (${audit('create', 'made')})
  ${outbox("'order.created'", `'{"state": "created"}'`, 'made')}`;

/** w17 to w19: the statement of each write by its path, and the path of the read with which it answers. */
export const WRITES: Record<string, { sql: string; read: string }> = {
  '/w17': { sql: ARRIVE, read: '/w14' },
  '/w18': { sql: CREATE_ORDER, read: '/w13' },
  '/w19': { sql: PATCH_ORDER, read: '/w13' },
};

import { ALL_WORK, deliveredJson, deliveries } from '../../src/dispatch/model/delivered.ts';
import { convertSql } from '../../src/dispatch/model/units-of-rates.ts';

/**
 * The SQL with which a hand-written server answers an order or a job as the contract has it: one statement, with a subquery by its key for
 * each record that is named, and one pass over jobs, loads and events for what is counted. It is planned once for each connection.
 */
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const isoOf = (expression: string, name: string) => `${iso(expression)} as ${name}`;
const instant = (t: string, ...names: string[]) => names.map((name) => isoOf(`${t}.${name}`, name)).join(', ');
const number = (t: string, ...names: string[]) => names.map((name) => `trim_scale(${t}.${name})::text as ${name}`).join(', ');
const plain = (t: string, names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${t}.${name}`)
    .join(', ');

/** One object out of a `select`. */
const one = (select: string) => `(select row_to_json(x) from (${select}) x)`;
const many = (select: string, order: string) =>
  `(select coalesce(json_agg(row_to_json(x) ${order && `order by ${order}`}), '[]') from (${select}) x)`;
const named = (table: string, key: string, more = '') => one(`select n.id, n.name${more} from ${table} n where n.id = ${key}`);

const address = (key: string) =>
  one(
    `select ${plain('ad', 'id thoroughfare premise locality administrative_area postal_code country')}, ${number('ad', 'lat', 'lon')}, ad.place_id from address ad where ad.id = ${key}`,
  );
const company = (key: string) =>
  one(`select ${plain('co', 'id platform_id legal_name company_type')} from company co where co.id = ${key}`);
const contact = (key: string) => one(`select ${plain('c', 'id name email phone')} from contact c where c.id = ${key}`);
const share = (type: string, key: string) =>
  one(`select ${plain('s', 'id external_id ticket_match_id')}, ${company('s.sender_company_id')} as sender_company, ${plain('s', 'dispatchable schedule_on rate_override')},
  ${instant('s', 'expires_at')} from company_share s where s.company_shareable_id = ${key} and s.company_shareable_type = '${type}' and s.receiver_company_id = $1
  and (s.valid_until is null or s.valid_until > now()) order by s.created_at desc limit 1`);
const account = (key: string) =>
  one(`select a.id, ${instant('a', 'discarded_at')}, ${plain('a', 'name account_types external_id accounting_id')}, json_build_object('id', a.company_id) as company, a.schedule_on,
  ${address('a.billing_address_id')} as billing_address, ${company('a.connected_company_id')} as connected_company, ${contact('a.billing_contact_id')} as billing_contact
  from account a where a.id = ${key}`);
const equipmentType = (key: string) =>
  one(
    `select et.id, et.name, et.company_id is null as system, et.external_id, et.accounting_id from equipment_type et where et.id = ${key}`,
  );
const EQUIPMENT = `select e.id, e.name, ${equipmentType('e.equipment_type_id')} as equipment_type, ${plain('e', 'external_id equipment_id license_number zone accounting_id')},
  ${share('Equipment', 'e.id')} as company_share from equipment e`;
const equipment = (key: string) => one(`${EQUIPMENT} where e.id = ${key}`);
const geofence = `select r.id, (select json_strip_nulls(row_to_json(x)) from (select ${plain('g', 'id name type geojson circle_center circle_radius tag')} from geofence g where g.id = r.geofence_id) x) as geofence,
  r.moving_geofence, r.tag, r.geofence_type from routing_geofence r`;
const site = (key: string) =>
  one(`select s.id, s.name, ${number('s', 'lat', 'lon')}, s.full_address, s.routable, ${instant('s', 'discarded_at')}, ${address('s.address_id')} as address,
  ${one(`${geofence} where r.id = s.routing_geofence_id`)} as routing_geofence from site s where s.id = ${key}`);
const PERSON = `${plain('u', 'id first_name last_name')}, ${instant('u', 'discarded_at')}, ${plain('u', 'email phone external_id schedule_on')}`;
const people = (ids: string, more = '') =>
  `case when ${ids} = '{}' then '[]' else ${many(`select ${PERSON}${more}, ord from unnest(${ids}) with ordinality i(id, ord) join app_user u on u.id = i.id`, 'x.ord')} end`;
const foremen = (ids: string) => people(ids, `, ${company('u.company_id')} as company, ${share('User', 'u.id')} as company_share`);
const rate = (key: string) =>
  `(select json_strip_nulls(row_to_json(x)) from (select r.id, r.name, r.type, ${number('r', 'time_rate', 'unit_rate')}, r.commission_percentage, ${number('r', 'commission_amount', 'flat_amount')} from rate r where r.id = ${key}) x)`;
const PHASE = `select ${plain('p', 'id name code')}, p."primary", ${instant('p', 'created_at', 'updated_at')} from phase p`;
const project = (key: string) =>
  one(
    `select ${plain('p', 'id name external_id po_job_number internal_notes job_notes notes order_notes')} from project p where p.id = ${key}`,
  );
const waypoints = (t: string) =>
  many(
    `select w.type, w.ordinality, ${site('w.site_id')} as site, w.id, ${contact('w.contact_id')} as contact from waypoint w where w.route_id = ${t}.route_id`,
    'x.ordinality',
  );
const gps = (
  ping: string,
  still: string,
) => `json_build_object('status', case when ${ping} is null or now() - ${ping} > interval '1 day' then 'no_signal'
  when now() - ${ping} > interval '5 minutes' then 'offline' when now() - ${still} >= interval '10 minutes' then 'idle' else 'online' end, 'last_ping_at', ${iso(ping)})`;
/** The events of a state machine, in their order: each with the condition under which it is possible. */
const events = (of: [event: string, when: string][]) =>
  `array_to_json(array_remove(array[${of.map(([event, when]) => `case when ${when} then '${event}' end`).join(', ')}]::text[], null))`;

const ORDER_TERMS = `o.id, o.order_id, ${named('dispatch_number', 'o.dispatch_number_id')} as dispatch_number, ${account('o.account_id')} as account, o.job_time,
  ${equipmentType('o.equipment_type_id')} as equipment_type, ${plain('o', 'name po_job_number zone notes charge_to_account state')}, o.state not in ('completed', 'canceled') as editable,
  o.geofence_delay_seconds, o.default_digital_ticket_view`;
const CREW = (
  t: string,
) => `${foremen(`${t}.foreman_ids`)} as foremen, ${people(`${t}.collaborator_ids`)} as collaborators, ${people(`${t}.salesperson_ids`)} as salespeople,
  ${contact(`${t}.sales_contact_id`)} as sales_contact, ${contact(`${t}.foreman_contact_id`)} as foreman_contact, ${contact(`${t}.supervisor_contact_id`)} as supervisor_contact,
  ${contact(`${t}.collaborator_contact_id`)} as collaborator_contact`;
const RATES = (t: string, sides: string[]) =>
  sides
    .map((side) => `${rate(`${t}.${side}_rate_id`)} as ${side}_rate, ${number(t, `${side}_rate_value`)}, ${t}.${side}_rate_type`)
    .join(', ');
const minutes = (later: string, earlier: string) => `floor(extract(epoch from ${later} - ${earlier}) / 60)`;
const inCapacity = convertSql(
  'o.quantity',
  'coalesce(o.unit_of_measure, o.equipment_type_gross_capacity_unit_of_measure)',
  'coalesce(o.equipment_type_gross_capacity_unit_of_measure, o.unit_of_measure)',
);

/** An order; `from` has it as `o`, and $1 is the company. */
const order = (
  from: string,
  by: string,
) => `select row_to_json(x) as data from (select ${ORDER_TERMS}, ${instant('o', 'created_at', 'updated_at', 'load_at')},
  ${plain('o', 'truck_count truck_delay unit_of_measure load_unit_of_measure job_unit_of_measure')}, ${named('service', 'o.service_id')} as service, ${number('o', 'quantity')},
  ${waypoints('o')} as waypoints, ${company('o.company_id')} as company, true as copyable, s.cycle as load_cycle_avg,
  (o.state = 'pending_request' or (o.state in ('accepted', 'in_progress') and coalesce(j.waiting, false))) as action_required,
  ${CREW('o')}, ${plain('o', 'external_id hauler_rate_type job_notes internal_notes units_per_hour')}, ${number('o', 'job_quantity')},
  case when j.vendors then (select coalesce(json_agg(s), '[]') from (select ${account('ja.customer_account_id')} as s from job_assignment ja join job on job.id = ja.job_id
    where job.order_id = o.id and ja.vendor_company_id = $1) x) else '[]' end as sending_accounts,
  ${instant('o', 'job_start_at')}, o.trucks_per_delay, s.pickup as loads_pickup_time_minutes_avg, s.dropoff as loads_dropoff_time_minutes_avg,
  ${many(`${PHASE} where p.order_id = o.id`, 'x.created_at')} as phases, ${one(`${PHASE} where p.order_id = o.id and p."primary" order by p.created_at limit 1`)} as phase,
  ${number('o', 'equipment_type_gross_capacity')}, ${plain('o', 'equipment_type_gross_capacity_unit_of_measure pickup_onsite_minutes dropoff_onsite_minutes pickup_to_dropoff_time_minutes')},
  ${number('o', 'pickup_to_dropoff_distance_meters')}, ${plain('o', 'expected_total_loads cycle_time_minutes loads_per_truck')},
  ${events([
    [
      'request',
      `o.state in ('created', 'rejected') or (o.state in ('hold', 'weather_hold') and coalesce(o.held_from, 'created') in ('created', 'pending_request'))`,
    ],
    [
      'accept',
      `(o.state in ('created', 'pending_request', 'rejected') and exists (select from account a where a.id = o.account_id and a.discarded_at is null)) or (o.state in ('hold', 'weather_hold') and not coalesce(j.started > 0, false))`,
    ],
    ['reject', `o.state = 'pending_request'`],
    ['hold', `o.state in ('created', 'pending_request', 'accepted', 'in_progress', 'weather_hold')`],
    ['weather_hold', `o.state in ('created', 'pending_request', 'accepted', 'in_progress', 'hold')`],
    [
      'start',
      `o.state = 'accepted' or (o.state in ('hold', 'weather_hold') and (o.held_from = 'in_progress' or coalesce(j.started > 0, false)))`,
    ],
    ['complete', `o.state in ('in_progress', 'accepted') and not coalesce(j.hauling, false)`],
    ['cancel', `o.state not in ('completed', 'canceled') and not coalesce(s.billed, false)`],
  ])} as state_events,
  o.recurring_loads, o.material_rate_unit_of_measure, ${number('o', 'material_rate_sell_price', 'material_rate_buy_price')}, o.material_rate_itemized,
  ${site('o.material_rate_site_id')} as material_rate_site, ${account('o.material_rate_supplier_account_id')} as material_rate_supplier_account, ${project('o.project_id')} as project, ${named('material', 'o.material_id', ', n.external_id')} as material,
  ${equipment('o.equipment_id')} as equipment, ${RATES('o', ['customer', 'vendor', 'driver'])},
  ${named('department', 'o.department_id')} as department, ${named('service_class', 'o.service_class_id')} as service_class,
  ${one(`select ${PERSON} from app_user u where u.id = o.requester_id`)} as requester,
  json_build_object('accepted_jobs_count', coalesce(j.accepted, 0), 'assigned_jobs_count', coalesce(j.assigned, 0), 'delivered_loads_count', s.delivered, 'jobs_count', coalesce(j.jobs, 0),
    'loads_count', s.loads, 'sent_jobs_count', coalesce(j.sent, 0), 'started_jobs_count', coalesce(j.started, 0),
    'file_attachments_count', (select count(*) from file_attachment f where f.file_attachable_id = o.id and f.file_attachable_type = 'Order'),
    'actionable_jobs_count', coalesce(j.actionable, 0), 'approved_loads_count', s.approved,
    'calculated_loads_count', case when o.equipment_type_gross_capacity > 0 then ceil(${inCapacity} / o.equipment_type_gross_capacity)::int end,
    'total_tickets_count', k.tickets, 'approved_payables', 0, 'total_payables', 0, 'approved_receivables', 0, 'total_receivables', 0, 'delivered_quantities', q.quantities,
    'material_gross_delivered_quantity', q.delivered, 'material_gross_ticketed_delivered_quantity', q.ticketed, 'material_gross_requested_quantity', trim_scale(o.quantity)::text,
    'total_tickets_quantity', coalesce(trim_scale(k.quantity), 0)::text, 'travelled_distance_meters', s.travelled,
    'estimated_delivered_quantity', trim_scale(o.equipment_type_gross_capacity * s.delivered)::text, 'material_gross_unit_of_measure', coalesce(q.unit, o.unit_of_measure),
    'estimated_delivered_unit_of_measure', o.equipment_type_gross_capacity_unit_of_measure, 'first_load_unloaded_at', ${iso('s.unloaded')}, 'first_ticket_at', ${iso('k.first')}) as order_summary,
  ${plain('o', 'requested_quantity_type reject_reason rejected_by')}, ${instant('o', 'rejected_at')}, o.chase_missing_tickets, ${number('o', 'tax_rate')},
  ${plain('o', 'tax_freight tax_material tax_add_ons version')}
  from ${from}
  left join lateral (select count(*) as jobs, count(*) filter (where state = 'accepted') as accepted, count(*) filter (where state = 'assigned') as assigned,
    count(*) filter (where state = 'sent') as sent, count(*) filter (where state not in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled')) as started,
    count(*) filter (where state in ('created', 'rejected') or (state = 'accepted' and driver_id is null)) as actionable,
    bool_or(state = 'rejected' or (state = 'created' and o.state = 'accepted')) as waiting,
    bool_or(state in ('to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded')) as hauling,
    bool_or(exists (select from job_assignment a where a.job_id = job.id)) as vendors
    from job where order_id = o.id) j on true
  left join lateral (select count(*) filter (where state <> 'canceled') as loads, count(*) filter (where state = 'completed') as delivered, count(approved_at) as approved,
    bool_or(billing_approved_at is not null) as billed, min(summary_unloaded_at) as unloaded, trim_scale(sum(summary_travelled_distance_meters))::text as travelled,
    coalesce(round(avg(${minutes('summary_arrived_pickup_at', 'before')} - before_paused / 60) filter (where state <> 'canceled' and before is not null)), 0)::int as cycle,
    coalesce(round(avg(${minutes('summary_loaded_at', 'summary_arrived_pickup_at')})), 0)::int as pickup,
    coalesce(round(avg(${minutes('summary_unloaded_at', 'summary_arrived_dropoff_at')})), 0)::int as dropoff
    from (select *, lag(summary_arrived_pickup_at) over cycle as before, lag(paused_seconds) over cycle as before_paused from load where order_id = o.id
      window cycle as (partition by job_id, state = 'canceled', summary_arrived_pickup_at is null order by ordinality)) l) s on true
  left join lateral (select count(*) as tickets, min(coalesce(service_date, created_at)) as first,
    sum(${convertSql('quantity', 'unit_of_measure', 'o.unit_of_measure')}) as quantity from ticket where order_id = o.id and voided_at is null) k on true
  left join lateral (select coalesce(json_agg(json_build_object('delivered', trim_scale(delivered)::text, 'unit_of_measure', unit_of_measure, 'material_name', material_name,
      'total', coalesce(trim_scale(${convertSql('o.quantity', 'o.unit_of_measure', 'unit_of_measure')}), 0)::text, 'ticketed', ticketed)), '[]') as quantities,
    trim_scale(max(delivered))::text as delivered, trim_scale(max(delivered) filter (where ticketed))::text as ticketed, max(unit_of_measure) as unit
    from (select unit_of_measure, material_name, ticketed, sum(quantity) as delivered
      from (${deliveries({ ...ALL_WORK, orders: '(select o.id, o.material_id)' })}) d
      where d.order_id = o.id and d.state = 'completed' and d.quantity is not null group by 1, 2, 3) d) q on true ${by}) x`;

const assignment = (side: string) =>
  one(`select ja.id, ${account('ja.customer_account_id')} as customer_account, ${account('ja.vendor_account_id')} as vendor_account, ${rate('ja.rate_id')} as rate,
    ${number('ja', 'rate_value')}, ja.rate_type, ${number('ja', 'commission_rate_value')}, ja.commission_rate_type
    from job_assignment ja where ja.job_id = j.id and ja.${side}_company_id = $1 limit 1`);
const at = (pick: 'min' | 'max', name: string, as: string) => `${pick}(occurred_at) filter (where event_name = '${name}') as ${as}`;
const SUMMARY_TIMES = [
  'first_sent_at',
  'sent_to_driver_at',
  'first_accepted_at',
  'driver_accepted_at',
  'first_declined_at',
  'driver_declined_at',
  'first_canceled_at',
];
const DRIVER = `select ${plain('u', 'id first_name last_name')}, ${company('u.company_id')} as company, ${equipment('u.equipment_id')} as equipment,
  ${equipment('u.default_equipment_id')} as default_equipment, ${plain('u', 'schedule_on phone email managed')},
  case when u.label_ids = '{}' then '[]' else ${many('select l.id, l.name, l.color from label l where l.id = any(u.label_ids)', '')} end as labels,
  ${gps('u.last_ping_at', 'u.still_since')} as gps_status, ${share('User', 'u.id')} as company_share from app_user u where u.id = j.driver_id`;

/** An approved invoice in the company's books rests on the job. */
const HELD = `exists (select from invoice i where i.job_id = j.id and i.company_id = j.company_id and i.billing_approved_at is not null and i.state <> 'voided')`;
/** A job; `from` has it as `j`, and $1 is the company. */
const job = (
  from: string,
  by: string,
) => `select row_to_json(x) as data from (select j.id, j.job_id, s.loads as loads_count, ${instant('j', 'job_start_at')}, j.unit_of_measure,
  ${instant('j', 'created_at', 'updated_at')}, j.notes, ${number('j', 'quantity')}, j.load_unit_of_measure, ${one(`select ${ORDER_TERMS} from orders o where o.id = j.order_id`)} as order,
  ${equipment('j.equipment_id')} as equipment, ${named('material', 'j.material_id', ', n.external_id')} as material, ${named('service', 'j.service_id')} as service,
  ${waypoints('j')} as waypoints, ${company('j.company_id')} as company, ${one(DRIVER)} as driver, j.priority, ${project('j.project_id')} as project, j.state,
  trim_scale(case when j.billable_hours_overridden then j.billable_hours else round(coalesce(j.approved_work_time_minutes, e.worked, 0) / 60.0, 4) end)::text as billable_hours,
  j.billable_hours_overridden,
  case when j.additional_equipment_ids = '{}' then '[]' else ${many(`${EQUIPMENT} where e.id = any(j.additional_equipment_ids)`, '')} end as additional_equipment,
  j.state not in ('paid', 'canceled') and not ${HELD} as editable, true as copyable, s.started is not true as deletable, ${instant('j', 'state_changed_at')}, s.cycle as load_cycle_avg,
  ${events([
    ['unassign', `j.state in ('assigned', 'sent', 'accepted', 'rejected') and s.started is not true`],
    [
      'request',
      `j.state in ('assigned', 'sent') and (j.driver_id is not null or v.id is not null) and p.state in ('accepted', 'in_progress')`,
    ],
    ['accept', `j.state in ('assigned', 'sent')`],
    ['reject', `j.state in ('sent', 'accepted') and s.started is not true`],
    [
      'enroute',
      `j.paused_at is null and (j.state = 'loaded' or (j.state in ('accepted', 'sent', 'assigned', 'load_completed') and j.driver_id is not null and (s.waiting or j.recurring_loads) and p.state in ('accepted', 'in_progress')))`,
    ],
    ['arrive', `j.state in ('to_pickup', 'to_dropoff') and j.paused_at is null`],
    ['load_material', `j.state in ('arrived_pickup', 'to_pickup') and j.paused_at is null`],
    ['unload_material', `j.state in ('arrived_dropoff', 'to_dropoff') and j.paused_at is null`],
    ['complete_load', `j.state = 'unloaded' and j.paused_at is null`],
    [
      'complete',
      `j.state in ('to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'accepted', 'load_completed') and j.paused_at is null`,
    ],
    ['review', `j.state in ('completed', 'ended')`],
    ['sign_off', `j.state in ('completed', 'ended', 'in_review') and s.unapproved is not true`],
    ['flag', `j.state in ('completed', 'ended', 'in_review', 'signed_off')`],
    ['remove_flag', `j.state = 'flagged'`],
    ['remove_signoff', `j.state = 'signed_off'`],
    [
      'cancel',
      `j.state in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'load_completed') and s.approved is not true`,
    ],
  ])} as state_events,
  ${assignment('customer')} as vendor_job_assignment, ${assignment('vendor')} as customer_job_assignment, ${CREW('j')},
  ${named('service_class', 'j.service_class_id')} as service_class, j.hauler_rate_type, ${number('j', 'customer_rate_value')}, j.customer_rate_type, ${number('j', 'vendor_rate_value')},
  j.vendor_rate_type, ${RATES('j', ['driver'])}, ${number('j', 'driver_commission_rate_value')}, j.driver_commission_rate_type, ${instant('j', 'paused_at')}, s.completed as completed_loads_count,
  ${one(`${PHASE} where p.id = j.phase_id`)} as phase, ${plain('j', 'requested_equipment_type_name requested_equipment_type_accounting_id requested_loads_count')},
  ${number('j', 'equipment_type_gross_capacity')}, j.equipment_type_gross_capacity_unit_of_measure,
  case when j.state in ('completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid') then (select row_to_json(y) from (select coalesce(s.gps, false) or coalesce(j.gps_total_pings, 0) > 0 as has_gps_data,
    ${isoOf('e.logged', 'logging_started_at')}, ${isoOf('e.clamped', 'logging_ended_at')}, ${isoOf('case when e.clamped <> e.ended then e.ended end', 'pre_clamp_logging_ended_at')},
    ${instant('j', 'adjusted_logging_started_at', 'adjusted_logging_ended_at')}, s.completed as completed_loads_count, coalesce(s.paused, 0) / 60 as break_time_minutes,
    greatest(0, coalesce(e.worked, 0)) as work_time_minutes, j.approved_work_time_minutes,
    coalesce((select ${deliveredJson('q', { quantity: 'j.quantity', unit: 'j.unit_of_measure' })
      .replaceAll("'unitOfMeasure'", "'unit_of_measure'")
      .replaceAll("'materialName'", "'material_name'")
      .replaceAll(
        'q.delivered::text',
        'trim_scale(q.delivered)::text',
      )} from (select d.unit_of_measure, d.material_name, d.ticketed, sum(d.quantity) as delivered from (${deliveries(ALL_WORK)}) d
      where d.job_id = j.id and d.state = 'completed' and d.quantity is not null group by 1, 2, 3) q), '[]') as delivered_quantities,
    s.travelled as travelled_distance_meters, ${SUMMARY_TIMES.map((name) => instant('e', name)).join(', ')}, (select p.name from phase p where p.id = j.phase_id) as job_phase_name, (select p.code from phase p where p.id = j.phase_id) as job_phase_code,
    (select count(distinct t.load_id) from ticket t where t.job_id = j.id and t.voided_at is null and t.load_id is not null) as loads_with_tickets_count,
    ${isoOf('e.entered', 'first_geofence_entry_at')}, ${isoOf('e.left', 'last_geofence_exit_at')}, e.pickups as pickup_geofence_entry_count, e.dropoffs as dropoff_geofence_entry_count,
    (select u.external_id from app_user u where u.id = j.foreman_ids[1]) as foreman_external_id, j.approved_at is null as editable,
    t.tracked as gps_active_period_minutes, j.gps_total_pings, j.gps_offline_pings, t.expected as gps_expected_pings, case when j.gps_total_pings >= 0.8 * t.expected
      and j.gps_longest_gap_seconds <= 900 then 'high' when j.gps_total_pings >= 0.5 * t.expected then 'medium' when j.gps_total_pings is not null then 'low' end as gps_confidence_level
    from (select m as tracked, ceil(m * 60.0 / coalesce(j.gps_interval_seconds, 30))::int as expected
      from greatest(0, floor(extract(epoch from e.clamped - e.logged) / 60)::int - coalesce(s.paused, 0) / 60) m) t) y) end as job_summary,
  j.recurring_loads,
  json_build_object('id', j.id, 'biller_approved', j.biller_approved, 'company_admin_approved', j.company_admin_approved, 'driver_approved', j.driver_approved,
    'foreman_approved', j.foreman_approved, 'billing_approved_at', ${iso('j.billing_approved_at')}, 'field_approved_at', ${iso('j.field_approved_at')}) as approval_status,
  (select count(*) from ticket t where t.job_id = j.id and t.voided_at is null) as tickets_count, j.job_time, ${instant('j', 'approved_at')}, j.driver_require_all_permissions,
  coalesce((select 'driver_edits_times' = any(c.permission_toggles) from company c where c.id = j.company_id), false) as times_editable,
  j.approved_at is not null as approved, j.approved_at is null and j.state in ('completed', 'ended', 'in_review') as approvable, j.approved_at is not null and j.state not in ('signed_off', 'paid') and not ${HELD} as unapprovable,
  ${instant('j', 'billing_approved_at', 'field_approved_at')},
  case when coalesce(j.material_sell_price::text, j.material_buy_price::text, j.material_rate_site_id::text, j.material_rate_supplier_account_id::text) is not null then (select row_to_json(y) from (select j.id,
    trim_scale(j.material_sell_price)::text as sell_price, trim_scale(j.material_buy_price)::text as buy_price, j.material_rate_unit_of_measure as unit_of_measure,
    ${site('j.material_rate_site_id')} as site, ${account('j.material_rate_supplier_account_id')} as supplier_account) y) end as material_rate_assignment,
  (select ${gps('u.last_ping_at', 'u.still_since')} from (select 1) n left join app_user u on u.id = j.driver_id) as gps_status, j.version
  from ${from}
  left join orders p on p.id = j.order_id
  left join lateral (select a.id from job_assignment a where a.job_id = j.id limit 1) v on true
  left join lateral (select count(*) filter (where state <> 'canceled') as loads, count(*) filter (where state = 'completed') as completed, bool_or(state = 'created') as waiting,
    bool_or(state not in ('created', 'canceled')) as started, bool_or(state <> 'canceled' and approved_at is null) as unapproved, bool_or(approved_at is not null) as approved,
    bool_or(summary_has_gps_data) as gps, sum(paused_seconds) as paused, trim_scale(sum(summary_travelled_distance_meters))::text as travelled,
    coalesce(round(avg(${minutes('summary_arrived_pickup_at', 'before')} - before_paused / 60) filter (where before is not null)), 0)::int as cycle
    from (select *, case when state <> 'canceled' and summary_arrived_pickup_at is not null then lag(summary_arrived_pickup_at) over cycle end as before,
      lag(paused_seconds) over cycle as before_paused from load where job_id = j.id
      window cycle as (partition by state = 'canceled', summary_arrived_pickup_at is null order by ordinality)) l) s on true
  left join lateral (select *, floor(extract(epoch from coalesce(j.adjusted_logging_ended_at, clamped) - coalesce(j.adjusted_logging_started_at, logged)) / 60)::int - coalesce(s.paused, 0) / 60 as worked
    from (select *, case when ended - active > interval '120 minutes' then active else ended end as clamped from (select ${at('min', 'ToPickup', 'logged')},
      coalesce(max(occurred_at) filter (where event_name = 'JobCompleted'), max(occurred_at) filter (where event_name = 'JobEnded')) as ended,
      max(occurred_at) filter (where event_name in ('ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted')) as active,
      ${at('min', 'JobSent', 'first_sent_at')}, ${at('max', 'JobSent', 'sent_to_driver_at')}, ${at('min', 'JobAccepted', 'first_accepted_at')}, ${at('max', 'JobAccepted', 'driver_accepted_at')},
      ${at('min', 'JobDeclined', 'first_declined_at')}, ${at('max', 'JobDeclined', 'driver_declined_at')}, ${at('min', 'JobCanceled', 'first_canceled_at')},
      ${at('min', 'GeofenceEntered', 'entered')}, ${at('max', 'GeofenceExited', 'left')},
      count(*) filter (where event_name = 'AtPickup' and event_source = 'geofence') as pickups, count(*) filter (where event_name = 'AtDropoff' and event_source = 'geofence') as dropoffs
      from job_event where job_id = j.id) x) x) e on j.state in ('completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid') ${by}) x`;

const newest = (table: string, t: string) =>
  `(select * from ${table} where company_id = $1 order by created_at desc, id desc limit 25) ${t}`;
const all = (rows: string) => `select json_agg(data) as data from (${rows}) rows`;

/** w13 to w16: the statement of each question by its path. */
export const RECORDS: Record<string, string> = {
  '/w13': order('orders o', 'where o.id = $2 and o.company_id = $1'),
  '/w14': job('job j', 'where j.id = $2 and j.company_id = $1'),
  '/w15': all(order(newest('orders', 'o'), 'order by o.created_at desc, o.id desc')),
  '/w16': all(job(newest('job', 'j'), 'order by j.created_at desc, j.id desc')),
};

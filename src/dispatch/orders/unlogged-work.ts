import { defineUnlogged, FOLLOWERS } from '../../platform/read/past/as-of.ts';
import { importedDefaultsOf, ORDER_FIELDS, PROJECT_FIELDS } from '../fields/work-fields.ts';
import { LIST_COLUMNS } from '../fields/write-columns.ts';
import { Job } from '../model/job.entity.ts';
import { FOLLOWING } from '../model/job.machine.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';
import { PRICE_COLUMNS } from '../pricing/material-price.ts';
import { JOB_TERMS, LOAD_TERMS, type Term } from './follow-orders.ts';

const text = (value: string): string => `'${value}'`;
/** Names of the audit log for what is no column of the record above. */
const NAMED: Readonly<Record<string, string>> = { route_id: 'waypoints' };
/** Rows `(taken, source)`: the column that follows, and what an entry of the record above it says has changed. */
function followed(terms: readonly Pick<Term, 'column' | 'sources'>[]): string {
  const pairs = terms.flatMap(({ column, sources }) =>
    sources.flatMap((source) => [[column, source], ...(NAMED[source] ? [[column, NAMED[source]] as const] : [])]),
  );
  return `(values ${[...pairs, ['phase_id', 'phases']].map(([column, source]) => `(${text(column!)}, ${text(source!)})`).join(', ')}) f(taken, source)`;
}

/** Columns that follow what an entry after `$5` says of the record above, as long as the state of the record at that time let it follow. */
const taken = (
  terms: readonly Pick<Term, 'column' | 'sources'>[],
  above: { type: string; id: string },
  of: { type: string; states: readonly string[] },
): string =>
  `select distinct r.id, f.taken as column from ${FOLLOWERS} join audit_entry a on a.company_id = r.company_id and a.subject_id = r.${above.id}
     cross join lateral jsonb_object_keys(a.object_changes) k(key) join ${followed(terms)} on f.source = k.key
   where a.subject_type = ${text(above.type)} and a.created_at > $5::timestamptz and a.event = 'update'
     and coalesce((select s.to_state from transition s where s.company_id = r.company_id and s.subject_type = ${text(of.type)} and s.subject_id = r.id
       and s.created_at < a.created_at order by s.created_at desc, s.id desc limit 1), ${text(of.states[0]!)}) in (${of.states.map(text).join(', ')})`;

const OF_JOB = { type: 'Job', states: FOLLOWING };
const OF_LOAD = { type: 'Load', states: ['created'] };
const PRICED_BY = ['material_id', 'route_id', 'waypoints'];

/**
 * A contact that came or went after `$5` by an import, whose entry says what the contact is (`sales_contact`), and not which one (`sales_contact_id`). Of a
 * person's change it says both.
 */
const contacts = (type: string): string =>
  `select distinct r.id, k.key || '_id' as column from ${FOLLOWERS} join audit_entry a on a.company_id = r.company_id and a.subject_id = r.id
     cross join lateral jsonb_each(a.object_changes) k(key, value)
   where a.subject_type = ${text(type)} and a.created_at > $5::timestamptz and a.event = 'update' and a.imported_record_id is not null
     and k.key like '%\\_contact' and (k.value -> 0 = 'null'::jsonb) <> (k.value -> 1 = 'null'::jsonb)`;

/** Columns of imported work that its payload decides, without its entry saying so: `undefined`, as `Unlogged.imported` has them. */
const decided = (...names: string[]): Record<string, undefined> => Object.fromEntries(names.map((name) => [name, undefined]));
const NUMBERED = ['number', 'route_id'];
/** What the payload of an order names, as it was found or made. */
const NAMED_BY_ORDERS = [
  ...['account', 'service', 'material', 'material_rate_supplier_account', 'equipment_type', 'vendor', 'dispatch_number'],
  ...['sales_contact', 'foreman_contact', 'supervisor_contact', 'collaborator_contact'],
].map((name) => `${name}_id`);

/**
 * What changes without an entry of its own, or is not in the entry of its creation. Jobs and loads that have not left take over what changes of their order; the
 * entry of an imported order or project has what the payload said, and not what that led to.
 */
export const unloggedWork = [
  defineUnlogged(Order, {
    imported: {
      ...importedDefaultsOf(ORDER_FIELDS),
      ...decided('order_id', ...NUMBERED, ...NAMED_BY_ORDERS, ...LIST_COLUMNS, 'loads_per_truck'),
    },
    unsaid: contacts('Order'),
  }),
  defineUnlogged(Project, {
    imported: { ...importedDefaultsOf(PROJECT_FIELDS), state: 'active', ...decided('project_id', ...NUMBERED) },
    unsaid: contacts('Project'),
  }),
  defineUnlogged(Job, {
    columns: ['driver_commission_rate_value', 'driver_commission_rate_type'],
    sql: `${taken(JOB_TERMS, { type: 'Order', id: 'order_id' }, OF_JOB)}
      union select r.id, p.taken from ${FOLLOWERS} join audit_entry a on a.company_id = r.company_id and a.subject_id = r.id
        cross join lateral jsonb_object_keys(a.object_changes) k(key) cross join unnest(array[${PRICE_COLUMNS.map(text).join(', ')}]) p(taken)
      where a.subject_type = 'Job' and a.created_at > $5::timestamptz and a.event = 'update' and k.key in (${PRICED_BY.map(text).join(', ')})`,
  }),
  defineUnlogged(Load, {
    sql: `${taken(LOAD_TERMS, { type: 'Order', id: 'order_id' }, OF_LOAD)} union ${taken(
      LOAD_TERMS.map(({ column, value }) => ({
        column,
        sources: [value.slice(2), ...(PRICE_COLUMNS.includes(column) ? PRICED_BY : [])],
      })),
      { type: 'Job', id: 'job_id' },
      OF_LOAD,
    )}`,
  }),
];

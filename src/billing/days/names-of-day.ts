import { Field } from 'type-graphql';
import { firstKnown } from '../../platform/database/first-known.ts';
import { Computed } from '../../platform/model/decorators.ts';
import { isWorkOfDaySql } from '../invoices/invoiced-work.ts';

const listed = (name: string): string => `coalesce(json_agg(distinct ${name}) filter (where ${name} is not null), '[]')`;
const siteOf = (type: string, order: string): string =>
  `(select s.name from waypoint w join site s on s.id = w.site_id where w.route_id = dj.route_id and w.type = '${type}' order by w.ordinality ${order}, w.id ${order} limit 1)`;
/** SQL of the names of the jobs that the pay of a day is for, by the field that lists them; null of the invoice of a job. */
export const namesOfDay = (t: string): string => `case when ${t}.driver_day_id is not null then (select json_build_object(
    'orderOrderIds', ${listed('o.order_id')}, 'projectNames', ${listed('p.name')}, 'materialNames', ${listed('m.name')}, 'jobJobIds', ${listed('dj.job_id')},
    'pickupSiteNames', ${listed('w.pickup')}, 'dropoffSiteNames', ${listed('w.dropoff')}, 'equipmentExternalIds', ${listed('e.external_id')})
  from job dj join orders o on o.id = dj.order_id left join project p on p.id = dj.project_id left join material m on m.id = ${firstKnown('dj.material_id', 'o.material_id')}
    left join equipment e on e.id = dj.equipment_id cross join lateral (select ${siteOf('pickup', 'asc')} as pickup, ${siteOf('drop_off', 'desc')} as dropoff) w
  where ${isWorkOfDaySql('dj', t)}) end`;

/** The names that the contract lists of an invoice's work: at most one name of a job, and those of all jobs that are paid with a day. */
export const Names =
  (path: string): PropertyDecorator =>
  (target, key) => {
    Field(() => [String])(target, key);
    const compute = (row: Record<string, unknown>) =>
      (row.namesOfDay as Record<string, string[]> | null)?.[String(key)] ?? [row[path]].filter((name) => name != null);
    Computed({ columns: [path, 'namesOfDay'], compute })(target, key);
  };

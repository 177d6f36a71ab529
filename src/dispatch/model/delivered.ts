import { Field, ObjectType } from 'type-graphql';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { convertSql } from './units-of-rates.ts';

/** The quantity of a material that was delivered, in one unit (SPEC `delivered_quantities`). */
@ObjectType({ simpleResolvers: true })
export class DeliveredQuantity {
  @Field(() => DecimalScalar) delivered!: string;
  @Field(() => UnitOfMeasure, { nullable: true }) unitOfMeasure!: UnitOfMeasure | null;
  @Field(() => String, { nullable: true }) materialName!: string | null;
  @Field(() => DecimalScalar, {
    description: 'Total requested quantity, in the unit of the row; 0 if no requested quantity converts to it.',
  })
  total!: string;
  @Field(() => Boolean, { nullable: true }) ticketed!: boolean | null;
}

/** SQL: ticket `k` with the weight of load `l`. */
export const TICKET_OF_LOAD = 'left join ticket k on k.load_id = l.id and k.voided_at is null and k.quantity is not null';
/** SQL of the unit in which the quantity of load `l` of job `j` was reported. */
export const REPORTED_UNIT = 'coalesce(l.unit_of_measure, j.load_unit_of_measure, j.unit_of_measure)';
/** SQL of the quantity that load `l` of job `j` delivered, by ticket `k` or else as reported, and of its unit. */
export const DELIVERED = 'coalesce(k.quantity, l.quantity)';
export const DELIVERED_UNIT = `case when k.id is null then ${REPORTED_UNIT} else k.unit_of_measure end`;

/**
 * Returns SQL of what each load delivered (DOMAIN 1.1): by its ticket, otherwise as reported; `quantity` is null while neither is known.
 * Loads, jobs and orders all use it.
 * @param from where loads, their jobs and their orders are read: tables, or CTEs that a statement has narrowed down already
 * @param more what else is asked of load `l`, its ticket `k` or its material `m`
 */
export const deliveries = (from: { loads: string; jobs: string; orders: string }, ...more: readonly string[]): string => `
  select l.id, l.job_id, l.order_id, l.state, ${DELIVERED} as quantity, m.name as material_name, m.id as material_id, k.id is not null as ticketed,
    ${DELIVERED_UNIT} as unit_of_measure${more.map((one) => `, ${one}`).join('')}
  from ${from.loads} l join ${from.jobs} j on j.id = l.job_id join ${from.orders} o on o.id = l.order_id
    ${TICKET_OF_LOAD}
    left join material m on m.id = ${firstKnown('k.material_id', 'l.material_id', 'j.material_id', 'o.material_id')}`;

export const ALL_WORK = { loads: 'load', jobs: 'job', orders: 'orders' };

/** Returns SQL that sums deliveries as `DeliveredQuantity` values: `q` has a row for each material, unit and `ticketed`. */
export const deliveredJson = (q: string, requested: { quantity: string; unit: string }): string =>
  `json_agg(json_build_object('delivered', ${q}.delivered::text, 'unitOfMeasure', ${q}.unit_of_measure, 'materialName', ${q}.material_name,
    'total', coalesce(round(${convertSql(requested.quantity, requested.unit, `${q}.unit_of_measure`)}, 4), 0)::text, 'ticketed', ${q}.ticketed)
    order by ${q}.material_name, ${q}.unit_of_measure, ${q}.ticketed)`;

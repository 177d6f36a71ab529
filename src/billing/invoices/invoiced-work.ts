import { Field, ID, ObjectType } from 'type-graphql';
import { InvoiceableType } from '../../dispatch/fields/invoice-enums.ts';

/** The job or the driver day that an invoice is for. */
@ObjectType({ simpleResolvers: true })
export class Invoiceable {
  @Field(() => ID) id!: string;
  @Field(() => InvoiceableType) type!: InvoiceableType;
}

/** SQL of that, of invoices `t`. */
export const invoiceableSql = (t: string): string =>
  `json_build_object('id', coalesce(${t}.job_id, ${t}.driver_day_id), 'type', case when ${t}.driver_day_id is null then 'Job' else 'DriverDay' end)`;

/** SQL of a figure over the lines `i` of invoices `t`. @param more further conditions, with `and` */
export const linesSql = (t: string, figure: string, more = ''): string =>
  `(select ${figure} from invoice_line_item i where i.invoice_id = ${t}.id ${more})`;

/** SQL of the number of loads that invoices `t` bill: once, in however many bands, and not again by a difference, as settlements count them. */
export const loadsCountSql = (t: string): string =>
  linesSql(t, 'count(distinct i.load_id)::int', `and i.line_item_type <> 'MaterialRateLineItem' and i.corrects_id is null`);

/** SQL: job `j` of a day is paid with the day by payable `i` of that, and has no payable of its own. */
export const isPaidWithDaySql = (j: string, i: string): string => `not exists (select from invoice op where op.job_id = ${j}.id
    and op.company_id = ${i}.company_id and op.side = 'payable' and not op.of_material and op.state <> 'voided')`;

/** SQL: job `j` is of the day that payable `t` pays, and paid with it. One that was voided has all jobs of the day: by what they are paid instead is no matter of it. */
export const isWorkOfDaySql = (j: string, t: string): string =>
  `${j}.driver_day_id = ${t}.driver_day_id and (${t}.state = 'voided' or ${isPaidWithDaySql(j, t)})`;

/** SQL of the number of tickets of the work of invoices `t`, without voided ones. */
export const ticketsCountSql = (t: string): string => `(select count(*)::int from ticket k where k.voided_at is null and k.job_id = any(
      case when ${t}.driver_day_id is null then array[${t}.job_id] else array(select dj.id from job dj where ${isWorkOfDaySql('dj', t)}) end))`;

/** SQL of the names of the types of the trucks that did the work of invoices `t`. */
export const equipmentTypeNamesSql = (
  t: string,
): string => `array(select distinct y.name from equipment e join equipment_type y on y.id = e.equipment_type_id where e.id in (
      select ${t}.equipment_id union all select dj.equipment_id from job dj where ${isWorkOfDaySql('dj', t)}) order by 1)`;

import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { DecimalScalar } from '../../platform/decimal.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { AtMost } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { Metric, MetricDimension, type TimeDimension } from './metric-enums.ts';

/** Measures of one question, and what their groups are of. */
export const MOST_MEASURES = 20;
export const MOST_KEYS = 3;
/** Ids of one filter. */
const MOST_IDS = 1_000;

const optional = { nullable: true };
const ids = (description: string) => Field(() => [ID], { nullable: true, description });

@InputType()
@About('Metric')
export class MetricFilter {
  @Field(() => DateOrInstant, {
    nullable: true,
    description: 'Only what is of this day or later, in the time zone of the answer. An instant means its day.',
  })
  startDate?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'Only what is of this day or earlier.' }) endDate?: string | null;
  @ids("Count the work of these companies of the caller's family, in place of that of one.") @AtMost(MOST_IDS) companyIds?: string[] | null;
  @ids('Of these projects.') @AtMost(MOST_IDS) projectIds?: string[] | null;
  @ids('Of these orders.') @AtMost(MOST_IDS) orderIds?: string[] | null;
  @ids('For these customers.') @AtMost(MOST_IDS) customerAccountIds?: string[] | null;
  @ids('By these vendors.') @AtMost(MOST_IDS) vendorAccountIds?: string[] | null;
  @ids('By these drivers.') @AtMost(MOST_IDS) driverIds?: string[] | null;
  @ids('With these trucks.') @AtMost(MOST_IDS) equipmentIds?: string[] | null;
  @ids('Of these materials.') @AtMost(MOST_IDS) materialIds?: string[] | null;
  @ids('From these sites.') @AtMost(MOST_IDS) pickupSiteIds?: string[] | null;
  @ids('To these sites.') @AtMost(MOST_IDS) dropoffSiteIds?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'In these states of the records that are counted.' })
  @AtMost(MOST_IDS)
  states?: string[] | null;
}

/** The filters that are dimensions, by their names. */
export const FILTERED = {
  projectIds: 'project',
  orderIds: 'order',
  customerAccountIds: 'customer',
  vendorAccountIds: 'vendor',
  driverIds: 'driver',
  equipmentIds: 'truck',
  materialIds: 'material',
  pickupSiteIds: 'pickup_site',
  dropoffSiteIds: 'dropoff_site',
  states: 'state',
} as const satisfies Record<string, Exclude<MetricDimension, TimeDimension>>;

/** A question to the catalogue, by clients and by saved reports. */
@ArgsType()
export class MetricQuestion extends PageArgs {
  @Field(() => [Metric], { description: `The measures; at most ${MOST_MEASURES}.` }) measures!: Metric[];
  @Field(() => [MetricDimension], {
    nullable: true,
    description: `The dimensions of the groups; at most ${MOST_KEYS}. Without it, the answer is one group.`,
  })
  groupBy?: MetricDimension[] | null;
  @Field(() => MetricFilter, optional) filter?: MetricFilter | null;
  @Field(() => String, { nullable: true, description: "An IANA time zone in which days begin; by default, the company's." })
  timeZone?: string | null;
}

@ArgsType()
export class MetricArgs extends MetricQuestion {
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The day, site or other thing of which a group is.' })
export class MetricKey {
  @Field(() => MetricDimension) dimension!: MetricDimension;
  @Field(() => String, { nullable: true, description: 'The first day of a time, an id, or a state; null for what has none.' })
  value!: string | null;
  @Field(() => String, { nullable: true, description: 'The name of the record of the id.' }) label!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The value of a measure in a group, in one unit.' })
export class MetricValue {
  @Field(() => Metric) measure!: Metric;
  @Field(() => String, {
    nullable: true,
    description: 'A unit of measure, a currency, `minutes` or `hours`; null of plain counts, and of quantities whose unit nobody said.',
  })
  unit!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null of a mean of nothing.' }) value!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The values of the measures for a day, a site or whatever else was asked for.' })
export class MetricGroup {
  @Field(() => [MetricKey], { description: 'In the order of `groupBy`.' }) keys!: MetricKey[];
  @Field(() => [MetricValue], {
    description: 'In the order of `measures`. A measure with units has a value for each that occurs, and none if nothing does.',
  })
  values!: MetricValue[];
}

export const MetricGroupConnection = connectionOf('MetricGroup', () => MetricGroup);

@ObjectType({ simpleResolvers: true, description: 'A measure: what its number means.' })
export class MetricDefinition {
  @Field(() => Metric) measure!: Metric;
  @Field(() => String) description!: string;
  @Field(() => [MetricDimension], { description: 'The dimensions that it may be grouped by and filtered with.' })
  dimensions!: MetricDimension[];
  @Field(() => [String], { description: 'The permissions that it takes, all of them.' }) permissions!: string[];
  @Field(() => Boolean, { description: 'It has a value for each unit or currency.' }) byUnit!: boolean;
  @Field(() => String, {
    nullable: true,
    description: 'The unit of all of its values: `minutes` or `hours`; null of plain counts, and of what has a value for each unit.',
  })
  unit!: string | null;
}

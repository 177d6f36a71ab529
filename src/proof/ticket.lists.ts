import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { TicketSource } from '../directory/master-data/source.ts';
import { SearchInput } from '../dispatch/fields/search.inputs.ts';
import { endOfDay, startOfDay } from '../dispatch/model/company-day.ts';
import { isToReview } from '../dispatch/model/load.entity.ts';
import { stringEnum } from '../platform/model/columns.ts';
import { connectionOf, PageArgs, SortDirection } from '../platform/read/connection.ts';
import { amount, byChange, byQuantity, defineFilters, defineSearch, defineSorts, flag, span, without } from '../platform/read/grammar.ts';
import { AsOf, GraphqlOnly, QuantityRange, TimeRange } from '../platform/read/time-range.ts';
import { DateOrInstant } from '../platform/scalars.ts';
import { Ticket } from './ticket.entity.ts';
import { TicketState } from './ticket.machine.ts';

const optional = { nullable: true };

export const TicketConnection = connectionOf('Ticket', () => Ticket);

export const TicketField = stringEnum(
  'TicketField',
  ['order', 'job', 'load', 'ticketNumber', 'quantity', 'material', 'site', 'image', 'serviceDate'],
  'Fields of a ticket that may be empty.',
);
export type TicketField = keyof typeof TicketField;

@InputType()
export class TicketFilter {
  @Field(() => DateOrInstant, { nullable: true, description: 'Created on or after this day of the company, or at or after this instant.' })
  fromDate?: string | null;
  @Field(() => DateOrInstant, {
    nullable: true,
    description: 'Created on or before this day of the company, or at or before this instant.',
  })
  toDate?: string | null;
  @Field(() => Boolean, optional) flagged?: boolean | null;
  @Field(() => [TicketSource], optional) sources?: TicketSource[] | null;
  @Field(() => [TicketState], optional) states?: TicketState[] | null;
  @Field(() => QuantityRange, { nullable: true, description: 'Only tickets of this much, in the unit that each has.' })
  @GraphqlOnly()
  quantity?: QuantityRange | null;
  @Field(() => TimeRange, { nullable: true, description: 'Only tickets whose material was served in this span.' })
  @GraphqlOnly()
  serviceDate?: TimeRange | null;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only tickets that are neither approved nor voided and that somebody flagged, or whose load somebody should look at.',
  })
  needsReview?: boolean | null;
  @Field(() => [TicketField], { nullable: true, description: 'Only tickets that have none of these.' })
  @GraphqlOnly()
  without?: TicketField[] | null;
}

@InputType()
export class TicketSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) serviceDate?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the quantity; tickets without one are the least.' })
  @GraphqlOnly()
  quantity?: SortDirection | null;
}

@ArgsType()
export class TicketListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the tickets of this order.' }) orderId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the tickets of this job.' }) jobId?: string | null;
  @Field(() => TicketFilter, optional) filter?: TicketFilter | null;
  @Field(() => TicketSort, optional) sort?: TicketSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @AsOf() asOf?: Date | null;
}

// Found by the indexes of flagged tickets and of loads that somebody should look at, however many tickets there are.
const toReview = (t: string, companies: () => string) => `${t}.state in ('new', 'pending') and ${t}.id = any(array(
  select k.id from ticket k where k.flagged and k.company_id = any(${companies()})
  union all select k.id from load l join ticket k on k.load_id = l.id where ${isToReview('l')} and l.company_id = any(${companies()})))`;

/** DOMAIN section 7: the dates are those of creation. */
export const ticketFilters = defineFilters(Ticket, {
  fromDate: { sql: (t, p) => `${t}.created_at >= ${p}`, cast: 'timestamptz', value: startOfDay },
  toDate: { sql: (t, p) => `${t}.created_at < ${p}`, cast: 'timestamptz', value: endOfDay },
  flagged: { sql: (t, p) => `${t}.flagged = ${p}`, cast: 'boolean' },
  sources: { sql: (t, p) => `${t}.source = any(${p})`, cast: 'text[]' },
  states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
  ...flag('needsReview', toReview),
  ...amount('quantity', (t) => `${t}.quantity`),
  ...span('serviceDate', (t) => `${t}.service_date`),
  without: without({
    order: (t) => `${t}.order_id is null`,
    job: (t) => `${t}.job_id is null`,
    load: (t) => `${t}.load_id is null`,
    ticketNumber: (t) => `${t}.ticket_number is null`,
    quantity: (t) => `${t}.quantity is null`,
    material: (t) => `${t}.material_id is null`,
    site: (t) => `${t}.site_id is null`,
    image: (t) => `${t}.image_id is null and ${t}.image_url is null`,
    serviceDate: (t) => `${t}.service_date is null`,
  }),
});
export const ticketSorts = defineSorts(Ticket, {
  ...byChange,
  ...byQuantity,
  serviceDate: { sql: (t) => `coalesce(${t}.service_date, ${t}.created_at)`, cast: 'timestamptz' },
});
export const ticketSearch = defineSearch(
  Ticket,
  (t, p) => `${t}.ticket_number ilike ${p} or ${t}.external_truck_id ilike ${p} or ${t}.external_vendor_name ilike ${p}`,
);

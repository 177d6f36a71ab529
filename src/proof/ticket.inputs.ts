import { Field, ID, InputType } from 'type-graphql';
import { TicketSource } from '../directory/master-data/source.ts';
import { UnitOfMeasure } from '../directory/master-data/units.ts';
import { SUPPLEMENT } from '../dispatch/checks/supplements.ts';
import type { Decimal } from '../platform/decimal.ts';
import { DecimalScalar } from '../platform/decimal.ts';
import { Length, Range } from '../platform/graphql/rules.ts';
import { GraphqlOnly } from '../platform/read/time-range.ts';
import { DateTime } from '../platform/scalars.ts';
import { TicketAcceptance } from './ticket.machine.ts';

const optional = { nullable: true };
/** Characters of a number: beyond, it would not fit an index. */
const NUMBER = 500;
const NAME = 200;

/** The values of a ticket, as people give them. */
@InputType()
export abstract class TicketFieldsInput {
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => String, optional) @Length(1, NUMBER) ticketNumber?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => DateTime, optional) printedAt?: Date | null;
  @Field(() => DateTime, optional) serviceDate?: Date | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The weight of the loaded truck, in the unit of the quantity.' })
  @Range(0)
  @GraphqlOnly()
  grossQuantity?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The weight of the empty truck, at most that of the loaded one.' })
  @Range(0)
  @GraphqlOnly()
  tareQuantity?: Decimal | null;
  @Field(() => String, { nullable: true, description: 'The weighmaster.' }) @Length(1, NAME) @GraphqlOnly() weighedBy?: string | null;
  @Field(() => TicketAcceptance, optional) @GraphqlOnly() acceptance?: TicketAcceptance | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'How much of the quantity was not accepted, at most all of it.' })
  @Range(0)
  @GraphqlOnly()
  wastedQuantity?: Decimal | null;
}

@InputType()
export class CreateTicketInput extends TicketFieldsInput {
  @Field(() => UnitOfMeasure) declare unitOfMeasure: UnitOfMeasure;
  @Field(() => ID, optional) jobId?: string | null;
  @Field(() => ID, optional) loadId?: string | null;
  @Field(() => TicketSource, optional) source?: TicketSource | null;
}

@InputType()
export class UpdateTicketInput extends TicketFieldsInput {
  @Field(() => ID, { nullable: true, description: 'Null removes the ticket from its load and job.' }) loadId?: string | null;
  @Field(() => Boolean, optional) flagged?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

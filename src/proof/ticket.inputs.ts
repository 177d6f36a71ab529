import { Field, ID, InputType } from 'type-graphql';
import { TicketSource } from '../directory/master-data/source.ts';
import { UnitOfMeasure } from '../directory/master-data/units.ts';
import type { Decimal } from '../platform/decimal.ts';
import { DecimalScalar } from '../platform/decimal.ts';
import { Length, Range } from '../platform/graphql/rules.ts';
import { DateTime } from '../platform/scalars.ts';

const optional = { nullable: true };
/** Characters of a number: beyond, it would not fit an index. */
const NUMBER = 500;

@InputType()
export class CreateTicketInput {
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => String, optional) @Length(1, NUMBER) ticketNumber?: string | null;
  @Field(() => ID, optional) jobId?: string | null;
  @Field(() => ID, optional) loadId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => DateTime, optional) printedAt?: Date | null;
  @Field(() => DateTime, optional) serviceDate?: Date | null;
  @Field(() => TicketSource, optional) source?: TicketSource | null;
}

@InputType()
export class UpdateTicketInput {
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => String, optional) @Length(1, NUMBER) ticketNumber?: string | null;
  @Field(() => ID, { nullable: true, description: 'Null removes the ticket from its load and job.' }) loadId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => Boolean, optional) flagged?: boolean | null;
  @Field(() => DateTime, optional) printedAt?: Date | null;
  @Field(() => DateTime, optional) serviceDate?: Date | null;
}

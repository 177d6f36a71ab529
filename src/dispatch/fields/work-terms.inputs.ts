import { Field, ID, InputType, Int } from 'type-graphql';
import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { MOST_PEOPLE, MOST_PHASES } from './limits.ts';
import { PhaseInput } from './part.inputs.ts';

/** The longest text of notes, in characters. */
export const TEXT = 10_000;
const optional = { nullable: true };

/** The terms that a project sets for its orders, and that an order may set for itself. */
@InputType()
export abstract class TermFields {
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => String, optional) @Length(0, TEXT) internalNotes?: string | null;
  @Field(() => String, optional) @Length(0, TEXT) jobNotes?: string | null;
  @Field(() => String, optional) @Length(0, 200) poJobNumber?: string | null;
  @Field(() => String, optional) @Length(1, 255) externalId?: string | null;
  @Field(() => String, optional) @Length(0, 200) chargeToAccount?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) jobQuantity?: Decimal | null;
  @Field(() => Int, optional) @Range(0) unitsPerHour?: number | null;
  @Field(() => Int, optional) @Range(0) jobTime?: number | null;
  @Field(() => Int, optional) @Range(1, 25) loadsPerTruck?: number | null;
  @Field(() => UnitOfMeasure, optional) loadUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => UnitOfMeasure, optional) jobUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => UnitOfMeasure, optional) equipmentTypeGrossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) serviceClassId?: string | null;
  @Field(() => ID, optional) departmentId?: string | null;
  @Field(() => ID, optional) equipmentTypeId?: string | null;
  @Field(() => ID, optional) requesterId?: string | null;
  @Field(() => ID, optional) customerRateId?: string | null;
  @Field(() => ID, optional) vendorRateId?: string | null;
  @Field(() => ID, optional) driverRateId?: string | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) foremanIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) salespersonIds?: string[] | null;
  @Field(() => ContactInput, optional) salesContact?: ContactInput | null;
  @Field(() => ContactInput, optional) foremanContact?: ContactInput | null;
  @Field(() => ContactInput, optional) supervisorContact?: ContactInput | null;
  @Field(() => ContactInput, optional) collaboratorContact?: ContactInput | null;
  @Field(() => RateType, optional) haulerRateType?: RateType | null;
  @Field(() => RateType, optional) customerRateType?: RateType | null;
  @Field(() => RateType, optional) vendorRateType?: RateType | null;
  @Field(() => RateType, optional) driverRateType?: RateType | null;
  @Field(() => DecimalScalar, optional) @Range(0) customerRateValue?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0) vendorRateValue?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0) driverRateValue?: Decimal | null;
  @Field(() => [PhaseInput], optional) @AtMost(MOST_PHASES) phases?: PhaseInput[] | null;
  @Field(() => DecimalScalar, optional) @Range(0) equipmentTypeGrossCapacity?: Decimal | null;
  @Field(() => Boolean, optional) recurringLoads?: boolean | null;
  @Field(() => Boolean, optional) chaseMissingTickets?: boolean | null;
  @Field(() => Boolean, optional) defaultDigitalTicketView?: boolean | null;
  @Field(() => DecimalScalar, optional) @Range(0, 100) taxRate?: Decimal | null;
  @Field(() => Boolean, optional) taxFreight?: boolean | null;
  @Field(() => Boolean, optional) taxMaterial?: boolean | null;
  @Field(() => Boolean, optional) taxAddOns?: boolean | null;
}

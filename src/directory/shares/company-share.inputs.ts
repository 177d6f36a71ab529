import { Field, ID, InputType } from 'type-graphql';
import { AtMost, Length } from '../../platform/graphql/rules.ts';
import { DateTime } from '../../platform/scalars.ts';
import { CompanyShareableType } from './shared-with.ts';

const optional = { nullable: true };
const NAME = 500;
/** Trucks of one person. */
const MOST_TRUCKS = 100;

@InputType()
export class CreateCompanyShareInput {
  @Field(() => ID) receiverCompanyId!: string;
  @Field(() => ID) companyShareableId!: string;
  @Field(() => CompanyShareableType) companyShareableType!: CompanyShareableType;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the receiver may plan work with it; by default true for a User, otherwise false.',
  })
  dispatchable?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'For users only; by default, false.' }) rateOverride?: boolean | null;
  @Field(() => DateTime, optional) expiresAt?: Date | null;
  @Field(() => String, optional) @Length(1, NAME) ticketMatchId?: string | null;
}

@InputType()
export class UpdateCompanyShareInput {
  @Field(() => String, { nullable: true, description: "The receiver's id of the record; only the receiver may change it." })
  @Length(1, NAME)
  externalId?: string | null;
  @Field(() => String, optional) @Length(1, NAME) ticketMatchId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Only the sender may change it.' }) dispatchable?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Only the receiver may change it.' }) scheduleOn?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Only the sender may change it.' }) rateOverride?: boolean | null;
  @Field(() => ID, { nullable: true, description: 'Only the receiver may change it.' }) defaultEquipmentId?: string | null;
  @Field(() => [ID], { nullable: true, description: 'Only the receiver may change it.' })
  @AtMost(MOST_TRUCKS)
  defaultAdditionalEquipmentIds?: string[] | null;
  @Field(() => DateTime, { nullable: true, description: 'Only the sender may change it; a time in the past ends the share at once.' })
  expiresAt?: Date | null;
}

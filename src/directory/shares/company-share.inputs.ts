import { Field, ID, InputType } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';
import { DateTime } from '../../platform/scalars.ts';
import { CompanyShareableType } from './shared-with.ts';

const optional = { nullable: true };
const NAME = 500;

@InputType()
export class CreateCompanyShareInput {
  @Field(() => ID) receiverCompanyId!: string;
  @Field(() => ID) companyShareableId!: string;
  @Field(() => CompanyShareableType) companyShareableType!: CompanyShareableType;
  @Field(() => Boolean, { nullable: true, description: 'The receiver may plan work with it: true for a User unless given, else false.' })
  dispatchable?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Users only.' }) rateOverride?: boolean | null;
  @Field(() => DateTime, optional) expiresAt?: Date | null;
  @Field(() => String, optional) @Length(1, NAME) ticketMatchId?: string | null;
}

@InputType()
export class UpdateCompanyShareInput {
  @Field(() => String, { nullable: true, description: 'What the receiver calls it; its alone to change.' })
  @Length(1, NAME)
  externalId?: string | null;
  @Field(() => String, optional) @Length(1, NAME) ticketMatchId?: string | null;
  @Field(() => Boolean, { nullable: true, description: "The sender's to change." }) dispatchable?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: "The receiver's to change." }) scheduleOn?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: "The sender's to change." }) rateOverride?: boolean | null;
  @Field(() => ID, { nullable: true, description: "The receiver's to change." }) defaultEquipmentId?: string | null;
  @Field(() => [ID], { nullable: true, description: "The receiver's to change." }) defaultAdditionalEquipmentIds?: string[] | null;
  @Field(() => DateTime, { nullable: true, description: "The sender's to change; a time that has passed ends it at once." })
  expiresAt?: Date | null;
}

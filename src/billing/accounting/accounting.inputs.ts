import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { TypeaheadListArgs } from '../../directory/master-data/master-data.resolver.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { PageArgs } from '../../platform/read/connection.ts';
import { IntegrationLedgerAccountType } from './accounting-records.ts';
import { IntegrationItemizableType } from './linked-records.entity.ts';

@InputType()
export class CreateLinkedAccountInput {
  @Field(() => String, { description: 'The token that the set-up page returned. It is good once.' }) @Length(1, 200) publicToken!: string;
}

@InputType()
export class UpdateLinkedCustomerInput {
  @Field(() => ID, { nullable: true, description: 'The customer account that it is; null for none.' }) customerAccountId?: string | null;
}
@InputType()
export class UpdateLinkedVendorInput {
  @Field(() => ID, { nullable: true, description: 'The vendor account that it is; null for none.' }) vendorAccountId?: string | null;
}
@InputType()
export class UpdateLinkedItemInput {
  @Field(() => ID, { nullable: true, description: 'The record that it is, together with its kind; both null for none.' })
  integrationItemizableId?: string | null;
  @Field(() => IntegrationItemizableType, { nullable: true, description: 'The kind of that record.' })
  integrationItemizableType?: IntegrationItemizableType | null;
}
@InputType()
export class UpdateLinkedLedgerAccountInput {
  @Field(() => IntegrationLedgerAccountType, { nullable: true, description: 'Its use; null if it has none.' })
  type?: IntegrationLedgerAccountType | null;
}

@ArgsType()
export class LinkedAccountArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
@ArgsType()
export class LinkedRecordArgs extends PageArgs {
  @Field(() => ID, { description: 'The linked accounting system.' }) linkedAccountId!: string;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
@ArgsType()
export class LinkedTypeaheadArgs extends TypeaheadListArgs {
  @Field(() => ID, { description: 'The linked accounting system.' }) linkedAccountId!: string;
}

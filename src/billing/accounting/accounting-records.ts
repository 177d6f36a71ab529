import { Field, ID, ObjectType } from 'type-graphql';
import { stringEnum } from '../../platform/model/columns.ts';

export const AccountingStatus = stringEnum('AccountingStatus', ['Active', 'Archived', 'Inactive', 'Pending', 'Unknown']);
export type AccountingStatus = keyof typeof AccountingStatus;
export const IntegrationLedgerAccountType = stringEnum('IntegrationLedgerAccountType', ['AccountsPayable', 'AccountsReceivable']);
export type IntegrationLedgerAccountType = keyof typeof IntegrationLedgerAccountType;

const optional = (description: string) => ({ nullable: true, description });

@ObjectType({ simpleResolvers: true, description: 'An address in an accounting system.' })
export class AccountingAddress {
  @Field(() => String, optional('Street and number.')) street1!: string | null;
  @Field(() => String, optional("The rest of the street's line, such as a suite.")) street2!: string | null;
  @Field(() => String, optional('The city.')) city!: string | null;
  @Field(() => String, optional('The state or province, as the system writes it.')) state!: string | null;
  @Field(() => String, optional('The country, as the system writes it.')) country!: string | null;
  @Field(() => String, optional('The postal code.')) postalCode!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A customer as the accounting system has it.' })
export class AccountingCustomer {
  @Field(() => ID, { description: 'Its id there if that is a UUID, otherwise a UUID that is always the same for it.' }) id!: string;
  @Field(() => String, { description: 'Its name there.' }) name!: string;
  @Field(() => AccountingStatus, { description: 'Whether it is in use there.' }) status!: AccountingStatus;
  @Field(() => [AccountingAddress], { description: 'Its addresses there.' }) addresses!: AccountingAddress[];
}

@ObjectType({ simpleResolvers: true, description: 'A vendor as the accounting system has it.' })
export class AccountingVendor {
  @Field(() => ID, { description: 'Its id there.' }) id!: string;
  @Field(() => String, { description: 'Its name there.' }) name!: string;
  @Field(() => String, optional('Another name that it has there.')) alternateName!: string | null;
  @Field(() => AccountingStatus, { description: 'Whether it is in use there.' }) status!: AccountingStatus;
  @Field(() => AccountingAddress, optional('Its address there.')) address!: AccountingAddress | null;
}

@ObjectType({ simpleResolvers: true, description: 'A product or service as the accounting system has it.' })
export class AccountingItem {
  @Field(() => ID, { description: 'Its id there.' }) id!: string;
  @Field(() => String, { description: 'Its name there.' }) name!: string;
  @Field(() => String, optional('Its kind, as the system calls it.')) type!: string | null;
  @Field(() => AccountingStatus, { description: 'Whether it is in use there.' }) status!: AccountingStatus;
  @Field(() => String, optional('The unit in which it is bought.')) costUnitOfMeasure!: string | null;
  @Field(() => String, optional('The unit in which it is sold.')) priceUnitOfMeasure!: string | null;
  /** Decimals as text. Who may see them says the resolver. */
  unitCost!: string | null;
  unitPrice!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An account of the ledger as the accounting system has it.' })
export class AccountingLedgerAccount {
  @Field(() => ID, { description: 'Its id there.' }) id!: string;
  @Field(() => String, { description: 'Its name there.' }) name!: string;
  @Field(() => AccountingStatus, { description: 'Whether it is in use there.' }) status!: AccountingStatus;
  @Field(() => IntegrationLedgerAccountType, { description: 'The kind of account that it is there.' }) type!: IntegrationLedgerAccountType;
}

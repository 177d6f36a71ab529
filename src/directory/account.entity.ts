import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Choices, Flag, Instant, One, RecordBase, stringEnum, Text, Whole } from '../platform/database/columns.ts';
import { Internal, Tenant } from '../platform/read/decorators.ts';
import { Address } from './address.entity.ts';
import { Company } from './company.entity.ts';
import { Contact } from './contact.entity.ts';

export const AccountType = stringEnum('AccountType', ['customer', 'vendor']);
export type AccountType = keyof typeof AccountType;

/** A company's own record of a customer or vendor; connected when the other side is a company here too. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Account extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Choices(() => AccountType) accountTypes: AccountType[] = ['customer'];
  @Text() externalId?: string | null;
  @Text() @Internal() accountingId?: string | null;
  @Text() @Internal() notes?: string | null;
  @Flag({ required: true }) scheduleOn: boolean = false;
  @One(() => Address) address?: Ref<Address> | null;
  @One(() => Address) @Internal() billingAddress?: Ref<Address> | null;
  @One(() => Contact) primaryContact?: Ref<Contact> | null;
  @One(() => Contact) @Internal() billingContact?: Ref<Contact> | null;
  @One(() => Company) connectedCompany?: Ref<Company> | null;
  /** Orders sent to this connected vendor are accepted on its side by themselves (DOMAIN 1.1). */
  @Flag({ required: true }) autoAcceptOrders: boolean = false;
  /** Trucks this vendor can send on a day; 0 means no limit. */
  @Whole({ required: true }) truckCount: number = 0;
  @Instant() discardedAt?: Date | null;
}

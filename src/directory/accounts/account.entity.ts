import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choices, Flag, Instant, One, RecordBase, stringEnum, Text, Uuids, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Tenant } from '../../platform/model/decorators.ts';
import { DateTime } from '../../platform/scalars.ts';
import { Company } from '../companies/company.entity.ts';
import { Address } from '../contacts/address.entity.ts';
import { Contact } from '../contacts/contact.entity.ts';
import { Label } from '../master-data/label.entity.ts';
import { Department } from '../master-data/named.entities.ts';

export const AccountType = stringEnum('AccountType', ['customer', 'vendor']);
export type AccountType = keyof typeof AccountType;

/** The fields of an account that the other side of the connection sees. */
@ObjectType({ simpleResolvers: true })
export class ConnectedAccount {
  @Field(() => ID) id!: string;
  @Field(() => DateTime, { nullable: true }) discardedAt?: string | null;
  @Field(() => [AccountType]) accountTypes!: AccountType[];
  @Field(() => Int) truckCount!: number;
  @Field(() => Boolean) autoAcceptOrders!: boolean;
}

/** A company's record of a customer or vendor. It is connected if the other side is a company on the platform, too. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Account extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Choices(() => AccountType) accountTypes: AccountType[] = ['customer'];
  @Text() externalId?: string | null;
  @Text() accountingId?: string | null;
  @Text() notes?: string | null;
  @Flag({ required: true }) scheduleOn: boolean = false;
  @One(() => Address) address?: Ref<Address> | null;
  @One(() => Address) billingAddress?: Ref<Address> | null;
  @One(() => Contact) primaryContact?: Ref<Contact> | null;
  @One(() => Contact) billingContact?: Ref<Contact> | null;
  @One(() => Company) connectedCompany?: Ref<Company> | null;
  /** Orders sent to this connected vendor are accepted on its side by themselves (DOMAIN 1.1). */
  @Flag({ required: true }) autoAcceptOrders: boolean = false;
  /** Trucks this vendor can send on a day; 0 means no limit. */
  @Whole({ required: true }) truckCount: number = 0;
  /** The connected company is no customer of the platform, and we keep its people and trucks for it. */
  @Flag({ required: true }) managed: boolean = false;
  @Instant({ description: 'When the last period of management ended.' }) managedUntil?: Date | null;
  /** We brought the connected company here by an invitation. */
  @Flag({ required: true, hidden: true }) invited: boolean = false;
  @One(() => Department) department?: Ref<Department> | null;
  @Uuids({ hidden: true }) labelIds: string[] = [];
  @Instant() discardedAt?: Date | null;

  @Many(() => Label, { ids: 'labelIds' }) labels!: Label[];

  /** The other side's account for us: what it thinks of us stays there, but for this. */
  @Field(() => ConnectedAccount, { nullable: true })
  @Computed({
    sql: (t) => `(select json_build_object('id', o.id, 'discardedAt', o.discarded_at, 'accountTypes', o.account_types,
      'truckCount', o.truck_count, 'autoAcceptOrders', o.auto_accept_orders)
      from account o where o.company_id = ${t}.connected_company_id and o.connected_company_id = ${t}.company_id)`,
  })
  connectedAccount?: ConnectedAccount | null;
}

export const accountConnectionKey = defineUnique('account_connection_key', { model: 'Account', field: 'connectedCompanyId' });

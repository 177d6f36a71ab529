import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Decimal } from '../../platform/decimal.ts';
import { Choice, Choices, Day, Instant, Numeric, One, RecordBase, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { Ticket } from '../../proof/ticket.entity.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceSide } from '../invoices/invoice-enums.ts';
import { LoadMatchResult, LoadVariance } from './match-enums.ts';
import { VendorBill } from './vendor-bill.entity.ts';

export const loadMatchKey = defineUnique('load_match_load_key', { model: 'LoadMatch', field: 'loadId' });

/**
 * Whether everything says the same of a load on one side of the books (BILLING B10): its ticket, what was reported, what is billed, and what a vendor
 * bills. It follows its invoice; what a vendor bills and nobody knows is a record without a load.
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class LoadMatch extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Choice(() => InvoiceSide, { required: true }) side!: InvoiceSide;
  @One(() => Load, { description: 'Null of what a vendor bills and nobody knows.' }) load?: Ref<Load> | null;
  @One(() => Job, { hidden: true }) job?: Ref<Job> | null;
  /** The order of the job, by which people are limited to sites. */
  @Uuid({ hidden: true }) orderId?: string | null;
  @One(() => Ticket) ticket?: Ref<Ticket> | null;
  @One(() => Invoice, { description: 'The invoice of its work on this side.' }) invoice?: Ref<Invoice> | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  @One(() => User, { hidden: true }) payeeDriver?: Ref<User> | null;
  /** The books' company, in one column for each permission by which the money is seen. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @One(() => VendorBill, { description: "The vendor's bill for it." }) vendorBill?: Ref<VendorBill> | null;
  /** The load that the vendor names, whether it is known or not; null of a line that names a ticket. */
  @Uuid({ hidden: true }) billedLoadId?: string | null;
  @Text({ description: 'The number of its ticket, or that which the vendor names.' }) ticketNumber?: string | null;
  @Day({ description: 'The local date of the work.' }) serviceDate?: string | null;
  @Choice(() => UnitOfMeasure, { description: 'The unit of its quantities: that of the rate, or else of the ticket.' })
  unitOfMeasure?: UnitOfMeasure | null;
  @Numeric({ description: 'The quantity of the ticket.' }) ticketQuantity?: Decimal | null;
  @Numeric({ description: 'The quantity that was reported before there was a ticket.' }) reportedQuantity?: Decimal | null;
  @Numeric({ description: 'The quantity that is billed as delivered.' }) billedQuantity?: Decimal | null;
  @Numeric({ description: 'The quantity by another scale than that of its ticket: that of a weigh point, or of the customer.' })
  otherScaleQuantity?: Decimal | null;
  @Whole({ description: 'The minutes of its job that are billed by the hour, before a minimum; said of the first load of the job.' })
  billedMinutes?: number | null;
  @Whole({ description: 'The minutes of its job of which positions are known without gaps; said of the first load of the job.' })
  gpsMinutes?: number | null;
  @Numeric({ description: 'The rate at which it is billed.' }) rate?: Decimal | null;
  @Numeric({ description: 'The amount of its freight.' }) amount?: Decimal | null;
  @Day({ description: 'The day that the vendor names.' }) theirDate?: string | null;
  @Numeric({ description: "The quantity that was delivered by the vendor's bill." }) theirQuantity?: Decimal | null;
  @Numeric({ description: 'The rate of the vendor.' }) theirRate?: Decimal | null;
  @Numeric({ description: 'The amount that the vendor bills.' }) theirAmount?: Decimal | null;
  @Choices(() => LoadVariance, { description: 'The differences that are beyond the tolerance.' }) variances: LoadVariance[] = [];
  @Choices(() => LoadVariance, { description: 'The differences that are within the tolerance.' }) tolerated: LoadVariance[] = [];
  @Choice(() => LoadMatchResult, { required: true }) result: LoadMatchResult = 'matched';
  @Numeric({ required: true, masked: true, description: 'The most money that one of its differences comes to.' })
  amountAtStake: Decimal = new Decimal(0);
  @Instant({ description: 'When somebody said that its differences are right.' }) waivedAt?: Date | null;
  @Text({ description: 'Why.' }) waiveReason?: string | null;
  @Text({ hidden: true }) waivedByType?: string | null;
  @Uuid({ hidden: true }) waivedById?: string | null;
  @Text({ hidden: true }) waivedByName?: string | null;
  /** The person or client that acted as that person. */
  @Text({ hidden: true }) realActorType?: string | null;
  @Uuid({ hidden: true }) realActorId?: string | null;
  @Text({ hidden: true }) realActorName?: string | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Field(() => Principal, { nullable: true, description: 'The person or program that said that its differences are right.' })
  @Computed({
    columns: ['waivedByType', 'waivedById', 'waivedByName', 'companyId', 'realActorType', 'realActorId', 'realActorName'],
    compute: (row) =>
      row.waivedByType == null ? null : principalOf({ ...row, type: row.waivedByType, id: row.waivedById, name: row.waivedByName }),
  })
  waivedBy!: Principal | null;
}

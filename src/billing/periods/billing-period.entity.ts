import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Day, Instant, Numeric, One, RecordBase, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { BillingPeriodState } from './billing-period.machine.ts';

/** Two people who close one period at once close it once. */
export const billingPeriodDayKey = defineUnique('billing_period_day_key', {
  model: 'BillingPeriod',
  field: 'endsOn',
  key: 'period_is_closed',
});
export const billingPeriodOpenKey = defineUnique('billing_period_open_key', { model: 'BillingPeriod', field: 'state' });

/**
 * Days of which the books of a company are closed (BILLING B10), or were and are open again. Each begins after the one before it ends. What counts on a day
 * of a closed period stays as it is, so its totals are the same number for ever.
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class BillingPeriod extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Day({ required: true, description: 'Its first day.' }) startsOn!: string;
  @Day({ required: true, description: 'Its last day.' }) endsOn!: string;
  @Choice(() => BillingPeriodState, { required: true }) state: BillingPeriodState = 'open';
  @Instant({ description: 'When it was closed; null while it is open again.' }) closedAt?: Date | null;
  @Text({ description: 'Why it was closed although something of it was not approved.' }) closeReason?: string | null;
  @Text({ description: 'Why it was opened again.' }) reopenReason?: string | null;
  @Text({ hidden: true }) closedByType?: string | null;
  @Uuid({ hidden: true }) closedById?: string | null;
  @Text({ hidden: true }) closedByName?: string | null;
  /** The person or client that acted as that person. */
  @Text({ hidden: true }) realActorType?: string | null;
  @Uuid({ hidden: true }) realActorId?: string | null;
  @Text({ hidden: true }) realActorName?: string | null;
  @Whole({ description: 'Invoices that count in it; null while it is open again, like its totals.' }) invoicesCount?: number | null;
  @Whole({ description: 'Settlements that count in it.' }) settlementsCount?: number | null;
  @Whole({ description: 'Invoices of its days, and of earlier ones, that stayed out of it because nobody had approved them.' })
  leftOutInvoicesCount?: number | null;
  @Whole({ description: 'The same of settlements.' }) leftOutSettlementsCount?: number | null;
  @Numeric({ description: 'The sum that customers owe by its invoices.' }) receivablesTotalAmount?: Decimal | null;
  @Numeric({ description: 'The sum that is owed to vendors by its invoices.' }) vendorPayablesTotalAmount?: Decimal | null;
  @Numeric({ description: 'The sum that drivers are paid by its invoices.' }) driverPayablesTotalAmount?: Decimal | null;
  @Numeric({ description: 'The sum of its settlements of customers, less what was taken back in it of earlier periods.' })
  settledReceivablesTotalAmount?: Decimal | null;
  @Numeric({ description: 'The same of vendors.' }) settledVendorPayablesTotalAmount?: Decimal | null;
  @Numeric({ description: 'The same of drivers.' }) settledDriverPayablesTotalAmount?: Decimal | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Field(() => Principal, { nullable: true, description: 'The person or program that closed it; null while it is open again.' })
  @Computed({
    columns: ['closedByType', 'closedById', 'closedByName', 'companyId', 'realActorType', 'realActorId', 'realActorName'],
    compute: (row) =>
      row.closedByType == null ? null : principalOf({ ...row, type: row.closedByType, id: row.closedById, name: row.closedByName }),
  })
  closedBy!: Principal | null;
}

import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Day, Numeric, One, RecordBase, Text, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const vendorBillNumberKey = defineUnique('vendor_bill_number_key', { model: 'VendorBill', field: 'number' });

/** A bill of a vendor, as it was sent on paper or as a file: it is compared with tickets and payables, load by load (BILLING B10). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class VendorBill extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Account, { required: true }) vendorAccount!: Ref<Account>;
  /** The former vendor whose bill it was, if the one who stayed when both were merged had a bill of its number. */
  @Property({ type: 'uuid', nullable: true }) mergedVendorAccountId?: string | null;
  @Text({ required: true, description: 'Its number at the vendor.' }) number!: string;
  @Day({ description: 'Its date.' }) date?: string | null;
  @Whole({ required: true, description: 'How many lines it has.' }) linesCount!: number;
  @Numeric({ required: true, masked: true, description: 'The sum of its lines.' }) totalAmount!: Decimal;
  @Property({ version: true }) @Field(() => Int) version: number = 1;
}

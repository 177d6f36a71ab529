import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Account } from '../directory/account.entity.ts';
import { Rate } from '../directory/rate.entity.ts';
import { RateType } from '../directory/units.ts';
import { Choice, Numeric, One, RecordBase, Uuid, Whole } from '../platform/database/columns.ts';
import type { Decimal } from '../platform/decimal.ts';
import { Masked } from '../platform/read/decorators.ts';
import { Job } from './job.entity.ts';

/** One link of a vendor chain: who passed the job on to whom, at which rate (DOMAIN 1.2 "Vendor chains"). */
@Entity()
@ObjectType({ simpleResolvers: true })
export class JobAssignment extends RecordBase {
  @One(() => Job, { required: true, hidden: true }) job!: Ref<Job>;
  /** 0 for the first link of the chain. */
  @Whole({ required: true }) link: number = 0;
  /** The company that passed the work on. */
  @Uuid({ required: true, hidden: true }) customerCompanyId!: string;
  /** The connected company that received it; null when the vendor is no company here. */
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  /** The payer as the receiving company knows it. */
  @One(() => Account) customerAccount?: Ref<Account> | null;
  /** The vendor as the passing company knows it. */
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  @One(() => Rate) @Masked('view_vendor_rates') rate?: Ref<Rate> | null;
  @Numeric() @Masked('view_vendor_rates') rateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_vendor_rates') rateType?: RateType | null;
  @Numeric() @Masked('view_vendor_rates') commissionRateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_vendor_rates') commissionRateType?: RateType | null;
}

import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { RateType } from '../../directory/master-data/units.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineRowPolicy } from '../../platform/database/row-level-security.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Numeric, One, RecordBase, Uuid, Whole } from '../../platform/model/columns.ts';
import { Masked, OnlyFor } from '../../platform/model/decorators.ts';
import { Job } from './job.entity.ts';

/** The pay along a link is a vendor rate for the company that passed the job on, and a customer rate for the one that received it. */
const LINK_SIDES = { sides: { customerCompanyId: 'view_vendor_rates', vendorCompanyId: 'view_customer_rates' } };

/** One link of a vendor chain: who passed the job on to whom, at which rate (DOMAIN 1.2 "Vendor chains"). */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class JobAssignment extends RecordBase {
  @One(() => Job, { required: true }) job!: Ref<Job>;
  /** 0 for the first link of the chain. */
  @Whole({ required: true }) link: number = 0;
  /** The company that passed the work on. */
  @Uuid({ required: true, hidden: true }) customerCompanyId!: string;
  /** The connected company that received it; null if the vendor does not use the platform. */
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  /** The payer as an account of the receiving company, which alone sees it. */
  @One(() => Account) @OnlyFor({ columns: ['vendorCompanyId'] }) customerAccount?: Ref<Account> | null;
  /** The vendor as an account of the passing company, which alone sees it. */
  @One(() => Account) @OnlyFor({ columns: ['customerCompanyId'] }) vendorAccount?: Ref<Account> | null;
  @One(() => Rate) @Masked('view_vendor_rates', LINK_SIDES) rate?: Ref<Rate> | null;
  @Numeric() @Masked('view_vendor_rates', LINK_SIDES) rateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_vendor_rates', LINK_SIDES) rateType?: RateType | null;
  @Numeric() @Masked('view_vendor_rates', LINK_SIDES) commissionRateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_vendor_rates', LINK_SIDES) commissionRateType?: RateType | null;

  /** The company whose history shows the link: the one that passed the work on. */
  get companyId(): string {
    return this.customerCompanyId;
  }
}

// `company_id` is the job's owner, kept by a trigger: the owner may end whole chains, and each company its own links.
defineRowPolicy('job_assignment', {
  writable: (t, companies) => `${t}.company_id = any(${companies}) or ${t}.customer_company_id = any(${companies})`,
  readable: (t, companies) => `${t}.vendor_company_id = any(${companies})`,
});

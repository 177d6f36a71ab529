import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { RateType } from '../../directory/master-data/units.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Numeric, One, RecordBase, Uuid, Whole } from '../../platform/model/columns.ts';
import { Job } from './job.entity.ts';

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
  @One(() => Account) customerAccount?: Ref<Account> | null;
  /** The vendor as an account of the passing company, which alone sees it. */
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  @One(() => Rate) rate?: Ref<Rate> | null;
  @Numeric() rateValue?: Decimal | null;
  @Choice(() => RateType) rateType?: RateType | null;
  /** Its rate was agreed on for this link, and is not what the work says of vendors. */
  @Flag({ required: true, hidden: true }) ownRate: boolean = false;
  /** The terms of its rate card when the work was done: a rate card that is changed later changes nothing of it. Null of a link without a rate card. */
  @Property({ type: 'json', nullable: true }) rateNoted?: object | null;
  @Numeric() commissionRateValue?: Decimal | null;
  @Choice(() => RateType) commissionRateType?: RateType | null;

  /** The company whose history shows the link: the one that passed the work on. */
  get companyId(): string {
    return this.customerCompanyId;
  }
}

import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/company.entity.ts';
import { Rate } from '../../directory/rate.entity.ts';
import { Site } from '../../directory/site.entity.ts';
import { RateType } from '../../directory/units.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Instant, Numeric, One, RecordBase } from '../../platform/database/columns.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Computed, Masked, Tenant } from '../../platform/read/decorators.ts';
import { Project } from '../project.entity.ts';

/** What a project's work is paid for when it is loaded at a site; without a site, at any that has no schedule of its own (DOMAIN 3.3). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class SiteRateSchedule extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Project, { required: true }) project!: Ref<Project>;
  @One(() => Site) site?: Ref<Site> | null;
  @One(() => Rate) @Masked('view_customer_rates') customerRate?: Ref<Rate> | null;
  /** Goes before the card. */
  @Numeric() @Masked('view_customer_rates') customerRateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_customer_rates') customerRateType?: RateType | null;
  @One(() => Rate) @Masked('view_vendor_rates') vendorRate?: Ref<Rate> | null;
  @Numeric() @Masked('view_vendor_rates') vendorRateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_vendor_rates') vendorRateType?: RateType | null;
  @One(() => Rate) @Masked('view_driver_rates') driverRate?: Ref<Rate> | null;
  @Numeric() @Masked('view_driver_rates') driverRateValue?: Decimal | null;
  @Choice(() => RateType) @Masked('view_driver_rates') driverRateType?: RateType | null;
  @Instant({ hidden: true }) discardedAt?: Date | null;

  /** Add-ons that come with it by themselves; there are none yet. */
  @Field(() => Int)
  @Computed({ needs: [], compute: () => 0 })
  autoAddOnAssignmentsCount!: number;
}

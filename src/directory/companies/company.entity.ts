import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { defineCheck, defineUnique } from '../../platform/commands/unique.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import {
  Choice,
  Choices,
  Coordinate,
  Flag,
  Instant,
  Numeric,
  One,
  RecordBase,
  Text,
  Texts,
  Uuid,
  Whole,
} from '../../platform/model/columns.ts';
import { Computed, Single } from '../../platform/model/decorators.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
import { Address } from '../contacts/address.entity.ts';
import { Contact } from '../contacts/contact.entity.ts';
import {
  AuthMethod,
  BillingStatus,
  CompanyLanguage,
  CompanyType,
  Currency,
  SaasBillingPlan,
  SystemOfMeasure,
  UnitOfDistance,
  UsageStatus,
} from './company-enums.ts';
import { logoUrlOf } from './logo-url.ts';

/** The relation of a company to the operator of the platform on its first day. */
const STANDING = { billing: 'free_trial', plan: 'standard', usage: 'active' } as const;

/** A tenant. A parent's users act with the same role in every descendant (SPEC "What the service does"). */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Company extends RecordBase {
  /** Six upper-case hexadecimal digits by which companies find each other. */
  @Text({ required: true }) platformId!: string;
  @Text({ required: true }) legalName!: string;
  @Text() dbaName?: string | null;
  @Choice(() => CompanyType, { required: true }) companyType: CompanyType = 'hauler';
  @One(() => Company) parentCompany?: Ref<Company> | null;
  /** IANA zone name: the zone of `load_at` on import and of date filters. */
  @Text({ required: true }) timeZone: string = 'America/Toronto';
  @Flag({ required: true, default: true }) platformCustomer: boolean = true;
  @One(() => Address) address?: Ref<Address> | null;
  @One(() => Contact) primaryContact?: Ref<Contact> | null;
  @One(() => Contact) billingContact?: Ref<Contact> | null;
  @Text() idpOrganizationId?: string | null;
  @Choice(() => CompanyLanguage, { required: true }) language: CompanyLanguage = 'en';
  @Text({ required: true }) timeFormat: string = '12-hour';
  @Text({ required: true }) dateFormat: string = 'YYYY/MM/DD';
  @Choice(() => UnitOfDistance, { required: true }) unitOfDistance: UnitOfDistance = 'kilometer';
  @Choice(() => SystemOfMeasure, { required: true }) systemOfMeasure: SystemOfMeasure = 'metric';
  @Choice(() => Currency, { required: true }) currency: Currency = 'CAD';
  /** The key of the logo in the storage and in its URL; a new one for every image. */
  @Uuid({ hidden: true }) logoKey?: string | null;
  /** Found in the content. */
  @Text({ hidden: true }) logoType?: string | null;
  @Choice(() => BillingStatus) billingStatus: BillingStatus | null = STANDING.billing;
  @Choice(() => SaasBillingPlan) saasBillingPlan: SaasBillingPlan | null = STANDING.plan;
  @Choice(() => UsageStatus) usageStatus: UsageStatus | null = STANDING.usage;
  @Numeric() fuelSurchargePercentage?: Decimal | null;
  @Choices(() => AuthMethod, { defaultRaw: `'{password}'` }) authMethods: AuthMethod[] = ['password'];
  /** Complete an order by itself when every job of it is terminal (DOMAIN 1.1). */
  @Flag({ required: true }) autoCompleteOrder: boolean = false;
  @Flag({ required: true }) aiReviewLoads: boolean = false;
  @Coordinate() defaultLat?: Decimal | null;
  @Coordinate() defaultLon?: Decimal | null;
  /** Metres; the radius of the circle that is drawn around a site that has coordinates but no geofence. */
  @Numeric() siteRadius?: Decimal | null;
  @Whole({ required: true }) defaultGeofenceDelaySeconds: number = 0;
  /** Permissions that its roles have in addition to the matrix: names of identity's toggles (src/identity/access/toggles.ts). */
  @Texts({ hidden: true }) permissionToggles: string[] = [];
  @Instant({
    description:
      'When one of its people, or a program of its own, first signed in. From then on only companies above it in its family can manage it.',
  })
  firstSignInAt?: Date | null;
  @Instant() discardedAt?: Date | null;

  @Field(() => String, { nullable: true, description: 'URL of the image; it requires no token.' })
  @Computed({ columns: ['logoKey'], compute: (row, application) => logoUrlOf(application, row.logoKey as string | null) })
  logoUrl?: string | null;

  @Field(() => Boolean, { description: 'True for a company to try things in, of which nothing is real.' })
  @Computed({ columns: ['id'], compute: (row) => isSandbox(String(row.id)) })
  sandbox!: boolean;

  /** The recipient of bills: the primary contact if no other is named. For readers of other companies, as far as they may see it. */
  @Single(() => Contact, {
    on: (contact, company, companies) =>
      `${contact}.id = ${firstKnown(`case when ${company}.id = any(${companies}) then ${company}.billing_contact_id end`, `${company}.primary_contact_id`)}`,
  })
  effectiveBillingContact?: Contact | null;

  /** 0 if there is none, or if the reader may not see it. */
  @Field(() => DecimalScalar)
  @Computed({ columns: ['fuelSurchargePercentage'], compute: (row) => row.fuelSurchargePercentage ?? '0' })
  effectiveFuelSurchargePercentage!: Decimal;

  // Readers of other companies get the default that every company begins with, because the contract never omits the field.
  @Field(() => BillingStatus)
  @Computed({ columns: ['billingStatus'], compute: (row) => row.billingStatus ?? STANDING.billing })
  effectiveBillingStatus!: BillingStatus;

  @Field(() => SaasBillingPlan)
  @Computed({ columns: ['saasBillingPlan'], compute: (row) => row.saasBillingPlan ?? STANDING.plan })
  effectiveSaasBillingPlan!: SaasBillingPlan;

  @Field(() => UsageStatus)
  @Computed({ columns: ['usageStatus'], compute: (row) => row.usageStatus ?? STANDING.usage })
  effectiveUsageStatus!: UsageStatus;
}

export const companyPlatformIdKey = defineUnique('company_platform_id_key', { model: 'Company', field: 'platformId' });
export const companyPlatformIdCheck = defineCheck('company_platform_id_check', {
  model: 'Company',
  field: 'platformId',
  key: 'not_a_platform_id',
});
export const companyOwnParentCheck = defineCheck('company_own_parent_check', {
  model: 'Company',
  field: 'parentCompanyId',
  key: 'company_circle',
});
export const companyCircleCheck = defineCheck('company_circle_check', {
  model: 'Company',
  field: 'parentCompanyId',
  key: 'company_circle',
});

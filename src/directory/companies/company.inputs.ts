import { Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Length, OneOf, Range } from '../../platform/graphql/rules.ts';
import { CreateAddressInput, UpdateAddressInput } from '../contacts/address.inputs.ts';
import { ContactInput } from '../contacts/contact.inputs.ts';
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

/** The sign-in methods that work here. A company may also note the other methods of the contract. */
export const SIGN_IN_METHODS: readonly AuthMethod[] = ['sso', 'password', 'magic_link', 'otp_sms'];

const DATE_FORMATS = ['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY/MM/DD'];
const TIME_FORMATS = ['12-hour', '24-hour'];
const NAME = 500;
const DAY_SECONDS = 86_400;
/** Metres; a wider geofence covers a town. */
const WIDEST_SITE = 100_000;
const optional = { nullable: true };

/** The fields that creating and changing a company have in common, all of them optional. */
@InputType()
class CompanyPreferences {
  @Field(() => String, optional) @Length(0, NAME) dbaName?: string | null;
  @Field(() => Boolean, optional) platformCustomer?: boolean | null;
  @Field(() => DecimalScalar, optional) @Range(0, 100) fuelSurchargePercentage?: Decimal | null;
  @Field(() => [AuthMethod], optional) authMethods?: AuthMethod[] | null;
  @Field(() => Boolean, optional) autoCompleteOrder?: boolean | null;
  @Field(() => Boolean, optional) aiReviewLoads?: boolean | null;
  @Field(() => DecimalScalar, optional) @Range(-90, 90) defaultLat?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(-180, 180) defaultLon?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Radius of new geofences around sites, in metres.' })
  @Range(0, WIDEST_SITE)
  siteRadius?: Decimal | null;
  @Field(() => Int, optional) @Range(0, DAY_SECONDS) defaultGeofenceDelaySeconds?: number | null;
}

@InputType()
export class CreateCompanyInput extends CompanyPreferences {
  @Field(() => ID, { nullable: true, description: 'By default, your own company.' }) parentCompanyId?: string | null;
  @Field(() => String) @Length(1, NAME) legalName!: string;
  @Field(() => CreateAddressInput) address!: CreateAddressInput;
  @Field(() => CompanyLanguage) language!: CompanyLanguage;
  @Field(() => String) @OneOf(DATE_FORMATS) dateFormat!: string;
  @Field(() => String) @OneOf(TIME_FORMATS) timeFormat!: string;
  @Field(() => SystemOfMeasure) systemOfMeasure!: SystemOfMeasure;
  @Field(() => UnitOfDistance) unitOfDistance!: UnitOfDistance;
  @Field(() => Currency) currency!: Currency;
  @Field(() => String, { description: 'IANA zone name.' }) timeZone!: string;
  @Field(() => ContactInput) primaryContact!: ContactInput;
  @Field(() => ContactInput) billingContact!: ContactInput;
  @Field(() => UsageStatus) usageStatus!: UsageStatus;
  @Field(() => SaasBillingPlan) saasBillingPlan!: SaasBillingPlan;
  @Field(() => BillingStatus) billingStatus!: BillingStatus;
  @Field(() => CompanyType) companyType!: CompanyType;
}

@InputType()
export class UpdateCompanyInput extends CompanyPreferences {
  @Field(() => String, optional) @Length(1, NAME) legalName?: string | null;
  @Field(() => UpdateAddressInput, optional) address?: UpdateAddressInput | null;
  @Field(() => CompanyLanguage, optional) language?: CompanyLanguage | null;
  @Field(() => String, optional) @OneOf(DATE_FORMATS) dateFormat?: string | null;
  @Field(() => String, optional) @OneOf(TIME_FORMATS) timeFormat?: string | null;
  @Field(() => SystemOfMeasure, optional) systemOfMeasure?: SystemOfMeasure | null;
  @Field(() => UnitOfDistance, optional) unitOfDistance?: UnitOfDistance | null;
  @Field(() => Currency, optional) currency?: Currency | null;
  @Field(() => String, { nullable: true, description: 'IANA zone name.' }) timeZone?: string | null;
  @Field(() => ContactInput, optional) primaryContact?: ContactInput | null;
  @Field(() => ContactInput, optional) billingContact?: ContactInput | null;
  @Field(() => UsageStatus, optional) usageStatus?: UsageStatus | null;
  @Field(() => SaasBillingPlan, optional) saasBillingPlan?: SaasBillingPlan | null;
  @Field(() => BillingStatus, optional) billingStatus?: BillingStatus | null;
  @Field(() => CompanyType, optional) companyType?: CompanyType | null;
}

import { Field, ID, InputType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { CreateAddressInput, UpdateAddressInput } from '../contacts/address.inputs.ts';
import { ContactInput } from '../contacts/contact.inputs.ts';
import { MovingSiteInput, RoutingGeofenceInput } from './geofence.inputs.ts';
import { SiteType } from './site.entity.ts';

const optional = { nullable: true };
/** Contacts one request may name. */
export const MOST_CONTACTS = 100;
const degrees = { nullable: true, description: 'WGS 84 degrees; by default, those of the address.' };

@InputType()
export class UpdateSiteInput {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => UpdateAddressInput, optional) address?: CreateAddressInput | UpdateAddressInput | null;
  @Field(() => DecimalScalar, degrees) @Range(-90, 90) lat?: Decimal | null;
  @Field(() => DecimalScalar, degrees) @Range(-180, 180) lon?: Decimal | null;
  @Field(() => String, optional) @Length(0, 10_000) notes?: string | null;
  @Field(() => SiteType, { nullable: true, description: 'By default, `Other`.' }) siteType?: SiteType | null;
  @Field(() => String, optional) @Length(0, 500) externalId?: string | null;
  @Field(() => String, { nullable: true, description: 'By default composed of the address.' })
  @Length(0, 500)
  fullAddress?: string | null;
  @Field(() => ID, optional) departmentId?: string | null;
  @Field(() => [ContactInput], { nullable: true, description: 'An element with an id changes that contact; contacts not named are kept.' })
  @AtMost(MOST_CONTACTS)
  contacts?: ContactInput[] | null;
  @Field(() => RoutingGeofenceInput, { nullable: true, description: 'Null removes it.' }) routingGeofence?: RoutingGeofenceInput | null;
  @Field(() => MovingSiteInput, { nullable: true, description: 'Null removes it.' }) movingSite?: MovingSiteInput | null;
}

@InputType()
export class CreateSiteInput extends UpdateSiteInput {
  @Field(() => String) @Length(1, 255) declare name: string;
  @Field(() => CreateAddressInput, optional) declare address?: CreateAddressInput | null;
  @Field(() => ID, { nullable: true, description: 'A company of your family; by default, your own.' }) companyId?: string | null;
}

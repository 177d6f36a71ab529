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
const degrees = { nullable: true, description: 'WGS 84 degrees; those of the address unless given.' };

@InputType()
export class UpdateSiteInput {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => UpdateAddressInput, optional) address?: CreateAddressInput | UpdateAddressInput | null;
  @Field(() => DecimalScalar, degrees) @Range(-90, 90) lat?: Decimal | null;
  @Field(() => DecimalScalar, degrees) @Range(-180, 180) lon?: Decimal | null;
  @Field(() => String, optional) @Length(0, 10_000) notes?: string | null;
  @Field(() => SiteType, { nullable: true, description: '`Other` unless given.' }) siteType?: SiteType | null;
  @Field(() => String, optional) @Length(0, 500) externalId?: string | null;
  @Field(() => String, { nullable: true, description: 'Composed of the address unless given.' })
  @Length(0, 500)
  fullAddress?: string | null;
  @Field(() => ID, optional) departmentId?: string | null;
  @Field(() => [ContactInput], { nullable: true, description: 'Those not named stay; with an id the one to change.' })
  @AtMost(MOST_CONTACTS)
  contacts?: ContactInput[] | null;
  @Field(() => RoutingGeofenceInput, { nullable: true, description: 'Null takes it away.' }) routingGeofence?: RoutingGeofenceInput | null;
  @Field(() => MovingSiteInput, { nullable: true, description: 'Null takes it away.' }) movingSite?: MovingSiteInput | null;
}

@InputType()
export class CreateSiteInput extends UpdateSiteInput {
  @Field(() => String) @Length(1, 255) declare name: string;
  @Field(() => CreateAddressInput, optional) declare address?: CreateAddressInput | null;
  @Field(() => ID, { nullable: true, description: 'Of the family; your own company unless given.' }) companyId?: string | null;
}

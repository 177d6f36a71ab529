import { Field, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';

const optional = { nullable: true };

/** A postal address, as written; coordinates in WGS 84 degrees. */
@InputType()
export class CreateAddressInput {
  @Field(() => String) @Length(1, 500) thoroughfare!: string;
  @Field(() => String, optional) @Length(0, 500) premise?: string | null;
  @Field(() => String) @Length(1, 200) locality!: string;
  @Field(() => String) @Length(1, 200) administrativeArea!: string;
  @Field(() => String) @Length(1, 20) postalCode!: string;
  @Field(() => String, { description: 'ISO 3166-1 alpha-2 code.' }) @Length(2, 2) country!: string;
  @Field(() => DecimalScalar, optional) @Range(-90, 90) lat?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(-180, 180) lon?: Decimal | null;
  @Field(() => String, optional) @Length(0, 500) placeId?: string | null;
}

@InputType()
export class UpdateAddressInput {
  @Field(() => String, optional) @Length(1, 500) thoroughfare?: string | null;
  @Field(() => String, optional) @Length(0, 500) premise?: string | null;
  @Field(() => String, optional) @Length(1, 200) locality?: string | null;
  @Field(() => String, optional) @Length(1, 200) administrativeArea?: string | null;
  @Field(() => String, optional) @Length(1, 20) postalCode?: string | null;
  @Field(() => String, { nullable: true, description: 'ISO 3166-1 alpha-2 code.' }) @Length(2, 2) country?: string | null;
  @Field(() => DecimalScalar, optional) @Range(-90, 90) lat?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(-180, 180) lon?: Decimal | null;
  @Field(() => String, optional) @Length(0, 500) placeId?: string | null;
  /** 1 removes it. */
  @Field(() => Int, optional) _destroy?: number | null;
}

import { Field, ID, InputType } from 'type-graphql';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Range } from '../../platform/graphql/rules.ts';

const optional = { nullable: true };

@InputType()
export class UpdateMaterialRateInput {
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => DecimalScalar, optional) @Range(0) buyPrice?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0) sellPrice?: Decimal | null;
  @Field(() => ID, optional) projectId?: string | null;
  @Field(() => ID, optional) siteId?: string | null;
  @Field(() => ID, optional) customerAccountId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The vendor who sells it at the buy price.' }) supplierAccountId?: string | null;
}

@InputType()
export class CreateMaterialRateInput extends UpdateMaterialRateInput {
  @Field(() => ID) declare materialId: string;
  @Field(() => UnitOfMeasure) declare unitOfMeasure: UnitOfMeasure;
}

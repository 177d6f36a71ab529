import { Field, ObjectType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import type { PlannedRow } from '../../platform/model/decorators.ts';
import { DateTime } from '../../platform/scalars.ts';

/** Where a person's telephone was last. */
@ObjectType({ simpleResolvers: true })
export class LastPosition {
  @Field(() => DecimalScalar, { description: 'Degrees, WGS 84.' }) lat!: Decimal;
  @Field(() => DecimalScalar, { description: 'Degrees, WGS 84.' }) lon!: Decimal;
  @Field(() => DateTime) occurredAt!: string;

  /** Columns of a person from which it is made. */
  static readonly columns = ['lastLat', 'lastLon', 'lastPingAt'];
  static of({ lastLat: lat, lastLon: lon, lastPingAt: occurredAt }: PlannedRow): unknown {
    return lat === null || lon === null ? null : { lat, lon, occurredAt };
  }
}

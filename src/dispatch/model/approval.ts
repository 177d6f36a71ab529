import { Field, ID, ObjectType } from 'type-graphql';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { DateTime } from '../../platform/scalars.ts';

/** Last word of each approver (DOMAIN 1.4); the approvals themselves come with proof of work. */
@ObjectType({ simpleResolvers: true })
export class ApprovalStatus {
  @Field(() => ID) id!: string;
  @Field(() => Boolean) billerApproved!: boolean;
  @Field(() => Boolean) companyAdminApproved!: boolean;
  @Field(() => Boolean) driverApproved!: boolean;
  @Field(() => Boolean) foremanApproved!: boolean;
  @Field(() => DateTime, { nullable: true }) billingApprovedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) fieldApprovedAt!: string | null;
}

/** Material prices a job or load carries itself (DOMAIN 3.5). */
@ObjectType({ simpleResolvers: true })
export class MaterialRateAssignment {
  @Field(() => ID) id!: string;
  @Field(() => DecimalScalar, { nullable: true }) sellPrice!: string | null;
  @Field(() => DecimalScalar, { nullable: true }) buyPrice!: string | null;
  @Field(() => UnitOfMeasure, { nullable: true }) unitOfMeasure!: UnitOfMeasure | null;
  @Field(() => Site, { nullable: true }) site!: Site | null;
}

/** Columns and computed values `materialRateOf` reads; the prices are masked each by its own permission. */
export const MATERIAL_RATE = ['id', 'materialSellPrice', 'materialBuyPrice', 'materialRateUnitOfMeasure', 'materialRateSiteKey'];
/** Its site is the record's. */
export const MATERIAL_RATE_ONES = { site: 'materialRateSite' };

/** The assignment as one value; null while nothing of it is set, or may be seen. Its id is the record's: there is one each. */
export function materialRateOf(row: Record<string, unknown>): Record<string, unknown> | null {
  const { id, materialSellPrice: sellPrice, materialBuyPrice: buyPrice, materialRateSiteKey: siteId } = row;
  return (sellPrice ?? buyPrice ?? siteId ?? null) === null
    ? null
    : { id, sellPrice, buyPrice, unitOfMeasure: row.materialRateUnitOfMeasure, site: row.materialRateSite ?? null };
}

export const materialRateSiteIdSql = (t: string): string => `${t}.material_rate_site_id`;

import { Field, ID, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { DateTime } from '../../platform/scalars.ts';

/** The last decision of each approver (DOMAIN 1.4); the approvals themselves are in the room `proof`. */
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

/** Computes the approvals of a job or load from its columns. */
export const APPROVAL_STATUS = {
  columns: ['id', 'billerApproved', 'companyAdminApproved', 'driverApproved', 'foremanApproved', 'billingApprovedAt', 'fieldApprovedAt'],
  compute: (row: Record<string, unknown>) => row,
};
/** Whether somebody has approved it. */
export const APPROVED = { columns: ['approvedAt'], compute: (row: Record<string, unknown>) => row.approvedAt !== null };

/** The material prices of a job or load itself (DOMAIN 3.5). */
@ObjectType({ simpleResolvers: true })
export class MaterialRateAssignment {
  @Field(() => ID) id!: string;
  @Field(() => DecimalScalar, { nullable: true }) sellPrice!: string | null;
  @Field(() => DecimalScalar, { nullable: true }) buyPrice!: string | null;
  @Field(() => UnitOfMeasure, { nullable: true }) unitOfMeasure!: UnitOfMeasure | null;
  @Field(() => Site, { nullable: true }) site!: Site | null;
  @Field(() => Account, { nullable: true, description: 'The vendor who sells it.' }) supplierAccount!: Account | null;
}

/** The columns and computed values that `materialRateOf` reads; each price is masked by its own permission. */
export const MATERIAL_RATE = ['id', 'materialSellPrice', 'materialBuyPrice', 'materialRateUnitOfMeasure', 'materialRateSiteKey'].concat([
  'materialRateSupplierKey',
]);
/** Its site and supplier are those of the record. */
export const MATERIAL_RATE_ONES = { site: 'materialRateSite', supplierAccount: 'materialRateSupplierAccount' };

/** Returns the assignment as one value; null if nothing of it is set or visible. Its id is that of the record, which has only one. */
export function materialRateOf(row: Record<string, unknown>): Record<string, unknown> | null {
  const { id, materialSellPrice: sellPrice, materialBuyPrice: buyPrice, materialRateSiteKey: siteId } = row;
  if ((sellPrice ?? buyPrice ?? siteId ?? row.materialRateSupplierKey ?? null) === null) return null;
  return {
    ...{ id, sellPrice, buyPrice, unitOfMeasure: row.materialRateUnitOfMeasure },
    ...{ site: row.materialRateSite ?? null, supplierAccount: row.materialRateSupplierAccount ?? null },
  };
}

export const materialRateSiteIdSql = (t: string): string => `${t}.material_rate_site_id`;
export const materialRateSupplierIdSql = (t: string): string => `${t}.material_rate_supplier_account_id`;

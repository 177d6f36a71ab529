import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

/** What a document says beside being there. */
export const ComplianceFieldType = stringEnum('ComplianceFieldType', ['none', 'string', 'number', 'date', 'boolean']);
export type ComplianceFieldType = keyof typeof ComplianceFieldType;
/** Who has to comply. */
export const CompliantType = stringEnum('CompliantType', ['Account', 'User', 'Equipment']);
export type CompliantType = keyof typeof CompliantType;

/** A kind of document that a company asks for: insurance, a licence, an inspection. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ComplianceDocumentType extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Text() externalId?: string | null;
  @Text() description?: string | null;
  @Choice(() => ComplianceFieldType, { required: true }) fieldType: ComplianceFieldType = 'none';
  @Flag({ required: true }) hasExpiration: boolean = false;
  /** Without it, or when it has run out, nobody is sent out; otherwise one is warned. */
  @Flag({ required: true }) dispatchGating: boolean = false;
  @Flag({ required: true }) requiredVendors: boolean = false;
  @Flag({ required: true }) requiredInternalDrivers: boolean = false;
  @Flag({ required: true }) requiredSharedDrivers: boolean = false;
  @Flag({ required: true }) requiredEquipment: boolean = false;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}

/** A document that was seen, of a vendor, a driver or a truck. The one that runs out last counts. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ComplianceDocument extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => ComplianceDocumentType, { required: true }) complianceDocumentType!: Ref<ComplianceDocumentType>;
  @Choice(() => CompliantType, { required: true }) compliantType!: CompliantType;
  @Uuid({ required: true }) compliantId!: string;
  /** As the type's field type has it: a number, an ISO date, `true` or `false`. */
  @Text() value?: string | null;
  @Instant() expiresAt?: Date | null;
  /** When somebody was told that it runs out. */
  @Instant() notificationSentAt?: Date | null;
  /** The fewest days before it runs out at which somebody was told. */
  @Whole({ hidden: true }) remindedDays?: number | null;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}

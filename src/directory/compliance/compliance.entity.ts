import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

/** The values that a document has, other than its dates. */
export const ComplianceFieldType = stringEnum('ComplianceFieldType', ['none', 'string', 'number', 'date', 'boolean']);
export type ComplianceFieldType = keyof typeof ComplianceFieldType;
/** The kinds of records that documents can be required of. */
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
  /** If true, nobody is sent out without a valid document of this kind; otherwise there is only a warning. */
  @Flag({ required: true }) dispatchGating: boolean = false;
  @Flag({ required: true }) requiredVendors: boolean = false;
  @Flag({ required: true }) requiredInternalDrivers: boolean = false;
  @Flag({ required: true }) requiredSharedDrivers: boolean = false;
  @Flag({ required: true }) requiredEquipment: boolean = false;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}

/** A document of a vendor, a driver or a truck that somebody has checked. The one that expires last counts. */
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
  /** When administrators were last notified that it expires. */
  @Instant() notificationSentAt?: Date | null;
  /** The fewest days before it expires at which administrators were notified. */
  @Whole({ hidden: true }) remindedDays?: number | null;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}

import { Field, InputType } from 'type-graphql';
import { defineUnique } from '../../platform/commands/unique.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { defineSearch } from '../../platform/read/grammar.ts';
import { masterMutations, masterQueries, nameSort } from '../master-data/master-data.resolver.ts';
import type { MasterKind } from '../master-data/master-data.ts';
import { nameOf } from '../master-data/named-kinds.ts';
import { ComplianceDocumentType, ComplianceFieldType } from './compliance.entity.ts';

const optional = { nullable: true };
const model = 'ComplianceDocumentType';

@InputType()
export class UpdateComplianceDocumentTypeInput {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => String, optional) @Length(0, 500) externalId?: string | null;
  @Field(() => String, optional) @Length(0, 10_000) description?: string | null;
  @Field(() => ComplianceFieldType, optional) fieldType?: ComplianceFieldType;
  @Field(() => Boolean, optional) hasExpiration?: boolean;
  @Field(() => Boolean, optional) dispatchGating?: boolean;
  @Field(() => Boolean, optional) requiredVendors?: boolean;
  @Field(() => Boolean, optional) requiredInternalDrivers?: boolean;
  @Field(() => Boolean, optional) requiredSharedDrivers?: boolean;
  @Field(() => Boolean, optional) requiredEquipment?: boolean;
}
@InputType()
export class CreateComplianceDocumentTypeInput extends UpdateComplianceDocumentTypeInput {
  @Field(() => String) @Length(1, 255) declare name: string;
}

const FLAGS = [
  'hasExpiration',
  'dispatchGating',
  'requiredVendors',
  'requiredInternalDrivers',
  'requiredSharedDrivers',
  'requiredEquipment',
] as const;

const types: MasterKind<ComplianceDocumentType, CreateComplianceDocumentTypeInput, UpdateComplianceDocumentTypeInput> & {
  entity: typeof ComplianceDocumentType;
} = {
  entity: ComplianceDocumentType,
  event: 'compliance_document_type',
  permissions: { create: 'compliance_write', edit: 'compliance_write', delete: 'compliance_write' },
  fill(_tx, type, input) {
    const items: ErrorItem[] = [];
    if (input.name !== undefined) type.name = nameOf(input.name, model, items);
    for (const field of ['externalId', 'description'] as const) if (input[field] !== undefined) type[field] = input[field]?.trim() || null;
    if (input.fieldType) type.fieldType = input.fieldType;
    for (const flag of FLAGS) type[flag] = input[flag] ?? type[flag];
    if (items.length > 0) throw new Invalid(items);
  },
};

export const complianceDocumentTypeNameKey = defineUnique('compliance_document_type_name_key', { model, field: 'name' });
export const complianceDocumentTypeNameSort = nameSort(ComplianceDocumentType);
export const complianceDocumentTypeSearch = defineSearch(ComplianceDocumentType, (t, p) => `fold(${t}.name) like fold(${p})`);

export const ComplianceDocumentTypeQueries = masterQueries(ComplianceDocumentType, {
  one: 'complianceDocumentType',
  many: 'complianceDocumentTypes',
  typeahead: 'complianceDocumentTypeTypeahead',
  permission: 'compliance_read',
});
export const ComplianceDocumentTypeMutations = masterMutations(types, {
  create: { name: 'createComplianceDocumentType', input: CreateComplianceDocumentTypeInput },
  update: { name: 'updateComplianceDocumentType', input: UpdateComplianceDocumentTypeInput },
  discard: { name: 'deleteComplianceDocumentType' },
});

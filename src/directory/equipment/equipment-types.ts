import { Field, ID, InputType } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { type Decimal, DecimalScalar, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { connectionOf } from '../../platform/read/connection.ts';
import { defineSearch } from '../../platform/read/grammar.ts';
import { masterMutations, masterQueries, nameSort } from '../master-data/master-data.resolver.ts';
import type { MasterKind } from '../master-data/master-data.ts';
import { nameOf } from '../master-data/named-kinds.ts';
import { collectTaken } from '../master-data/taken.ts';
import { UnitOfMeasure } from '../master-data/units.ts';
import { EquipmentType } from './equipment-type.entity.ts';

const optional = { nullable: true };
/** Characters of a name and of an id that comes from another system. */
const NAME = 255;
const EXTERNAL_ID = 500;
const model = 'EquipmentType';

@InputType()
class GrossCapacityInput {
  @Field(() => DecimalScalar) @Range(0) capacity!: Decimal;
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
}

@InputType()
export class UpdateEquipmentTypeInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) externalId?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) accountingId?: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Capacity in `unitOfMeasure`, which is required with it.' })
  @Range(0)
  grossCapacity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) grossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => [GrossCapacityInput], { nullable: true, description: 'The same capacity in other units; each unit once.' })
  additionalGrossCapacities?: GrossCapacityInput[];
}
@InputType()
export class CreateEquipmentTypeInput extends UpdateEquipmentTypeInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => ID, { nullable: true, description: 'The company to which the type is added; by default, your own.' }) companyId?:
    | string
    | null;
}

const equipmentTypes: MasterKind<EquipmentType, CreateEquipmentTypeInput, UpdateEquipmentTypeInput> & { entity: typeof EquipmentType } = {
  entity: EquipmentType,
  event: 'equipment_type',
  matchedBy: ['name', 'externalId'],
  permissions: { create: 'create_equipment_type', edit: 'edit_equipment_type', delete: 'delete_equipment_type' },
  async fill(tx, type, input) {
    const items: ErrorItem[] = [];
    const before = { name: type.name && foldText(type.name), externalId: type.externalId };
    if (input.name !== undefined) rename(type, nameOf(input.name, model, items), items);
    if (input.externalId !== undefined) type.externalId = input.externalId?.trim() || null;
    // What it has already may be sent back: a double of it is older.
    const named = [
      ...(type.name && foldText(type.name) !== before.name ? ['name' as const] : []),
      ...(type.externalId && type.externalId !== before.externalId ? ['externalId' as const] : []),
    ];
    await collectTaken(tx, 'equipment_type', type, named, { model, items });
    if (input.accountingId !== undefined) type.accountingId = input.accountingId?.trim() || null;
    fillCapacities(type, input, items);
    if (input instanceof CreateEquipmentTypeInput && viewerOf(tx).type === 'M2MClient') type.source = 'api_integration';
    if (items.length > 0) throw new Invalid(items);
  },
  letGo(_tx, type) {
    if (type.system) throw new Invalid([{ model, field: 'id', key: 'built_in_record' }]);
  },
};

function rename(type: EquipmentType, name: string, items: ErrorItem[]): void {
  if (type.system && type.name !== name) items.push({ model, field: 'name', key: 'built_in_name' });
  else type.name = name;
}

function fillCapacities(type: EquipmentType, input: UpdateEquipmentTypeInput, items: ErrorItem[]): void {
  if (input.grossCapacity !== undefined) type.grossCapacity = input.grossCapacity;
  if (input.grossCapacityUnitOfMeasure !== undefined) type.grossCapacityUnitOfMeasure = input.grossCapacityUnitOfMeasure;
  if (type.grossCapacity && !type.grossCapacityUnitOfMeasure) items.push({ model, field: 'grossCapacityUnitOfMeasure', key: 'required' });
  if (input.additionalGrossCapacities)
    type.additionalGrossCapacities = input.additionalGrossCapacities.map(({ capacity, unitOfMeasure }) => ({
      capacity: decimalText(capacity.toDecimalPlaces(4)),
      unitOfMeasure,
    }));
  const units = new Set([type.grossCapacityUnitOfMeasure]);
  for (const [i, { unitOfMeasure }] of type.additionalGrossCapacities.entries()) {
    if (units.has(unitOfMeasure)) items.push({ model, field: `additionalGrossCapacities.${i}.unitOfMeasure`, key: 'unit_twice' });
    units.add(unitOfMeasure);
  }
}

export const equipmentTypeNameSort = nameSort(EquipmentType);
export const equipmentTypeSearch = defineSearch(
  EquipmentType,
  (t, p) => `fold(${t}.name) like fold(${p}) or fold(${t}.external_id) like fold(${p})`,
);

export const EquipmentTypeConnection = connectionOf('EquipmentType', () => EquipmentType);
export const EquipmentTypeQueries = masterQueries(EquipmentType, {
  one: 'equipmentType',
  many: 'equipmentTypes',
  typeahead: 'equipmentTypeTypeahead',
  connection: EquipmentTypeConnection,
});
export const EquipmentTypeMutations = masterMutations(equipmentTypes, {
  create: { name: 'createEquipmentType', input: CreateEquipmentTypeInput },
  update: { name: 'updateEquipmentType', input: UpdateEquipmentTypeInput },
  discard: { name: 'deleteEquipmentType' },
});

import { ref } from '@mikro-orm/core';
import { Field, ID, InputType } from 'type-graphql';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { AtMost, Length } from '../../platform/graphql/rules.ts';
import { ActivityState } from '../master-data/activity-state.ts';
import { Label } from '../master-data/label.entity.ts';
import type { MasterKind } from '../master-data/master-data.ts';
import { nameOf } from '../master-data/named-kinds.ts';
import { collectFormerTruck } from '../master-data/taken.ts';
import { User } from '../people/user.entity.ts';
import { CompanyShare } from '../shares/company-share.entity.ts';
import { Site } from '../sites/site.entity.ts';
import { Equipment, EquipmentOwnership } from './equipment.entity.ts';
import { EquipmentType } from './equipment-type.entity.ts';

const optional = { nullable: true };
/** Characters of a name, and of what others call it. */
const NAME = 255;
const EXTERNAL_ID = 500;
const model = 'Equipment';
/** Labels of one truck. */
const MOST_LABELS = 100;

@InputType()
export class UpdateEquipmentInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => String, optional) @Length(0, NAME) licenseNumber?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) externalId?: string | null;
  @Field(() => EquipmentOwnership, optional) ownership?: EquipmentOwnership | null;
  @Field(() => ActivityState, optional) state?: ActivityState | null;
  @Field(() => ID, optional) equipmentTypeId?: string | null;
  @Field(() => String, optional) @Length(0, NAME) zone?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) accountingId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Where it is parked overnight: one of your sites.' }) homeBaseId?: string | null;
  @Field(() => [ID], optional) @AtMost(MOST_LABELS) labelIds?: string[] | null;
}
@InputType()
export class CreateEquipmentInput extends UpdateEquipmentInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => ID) declare equipmentTypeId: string;
}

/** The rules of trucks, trailers and machines. Those that others share are used, and changed by their owner. */
export const equipment: MasterKind<Equipment, CreateEquipmentInput, UpdateEquipmentInput> & { entity: typeof Equipment } = {
  entity: Equipment,
  event: 'equipment',
  permissions: { create: 'create_equipment', edit: 'edit_equipment', delete: 'delete_equipment' },
  async fill(tx, truck, input) {
    const items: ErrorItem[] = [];
    if (input.name !== undefined) truck.name = nameOf(input.name, model, items);
    const externalId = truck.externalId;
    for (const field of ['licenseNumber', 'externalId', 'zone', 'accountingId'] as const)
      if (input[field] !== undefined) truck[field] = input[field]?.trim() || null;
    for (const field of ['ownership', 'state', 'equipmentTypeId'] as const)
      if (input[field] === null) items.push({ model, field, key: 'required' });
    if (input.ownership) truck.ownership = input.ownership;
    if (input.state) truck.state = input.state;
    if (truck.externalId && truck.externalId !== externalId) await collectFormerTruck(tx, truck, { items });
    await fillReferences(tx, truck, input, items);
    if (items.length > 0) throw new Invalid(items);
  },
  letGo: leaveDrivers,
};

/** Its type, home base and labels: they must belong to its company, and none may be discarded. */
async function fillReferences(tx: TxContext, truck: Equipment, input: UpdateEquipmentInput, items: ErrorItem[]): Promise<void> {
  const found = await resolveReferences(
    tx,
    input,
    { type: [EquipmentType, 'equipmentTypeId'], home: [Site, 'homeBaseId'], labels: [Label, 'labelIds'] } as const,
    { model, companyId: truck.company.id, items },
  );
  const report = (field: string) => items.push({ model, field, key: 'must_exist' });
  if (found.type?.discardedAt && found.type.id !== truck.equipmentType?.id) report('equipmentTypeId');
  if (found.home?.discardedAt && found.home.id !== truck.homeBase?.id) report('homeBaseId');
  for (const [at, label] of (found.labels ?? []).entries()) if (label?.discardedAt) report(`labelIds.${at}`);
  if (found.type) truck.equipmentType = ref(found.type);
  if (found.home !== undefined) truck.homeBase = found.home ? ref(found.home) : null;
  if (found.labels !== undefined) truck.labelIds = [...new Set((found.labels ?? []).flatMap((label) => label?.id ?? []))];
}

/** Removes it as the default truck of the company's people; jobs and tickets keep it. */
async function leaveDrivers(tx: TxContext, truck: Equipment): Promise<void> {
  const { id } = truck;
  const without = (ids: string[]) => ids.filter((one) => one !== id);
  const drivers = await tx.em.find(User, {
    company: truck.company.id,
    $or: [
      { equipment: id },
      { defaultEquipment: id },
      { additionalEquipmentIds: { $contains: [id] } },
      { defaultAdditionalEquipmentIds: { $contains: [id] } },
    ],
  });
  for (const driver of drivers) {
    if (driver.equipment?.id === id) driver.equipment = null;
    if (driver.defaultEquipment?.id === id) driver.defaultEquipment = null;
    driver.additionalEquipmentIds = without(driver.additionalEquipmentIds);
    driver.defaultAdditionalEquipmentIds = without(driver.defaultAdditionalEquipmentIds);
    emitEvent(tx, 'user.updated', driver);
  }
  const shares = await tx.em.find(
    CompanyShare,
    { receiverCompany: truck.company.id, $or: [{ defaultEquipment: id }, { defaultAdditionalEquipmentIds: { $contains: [id] } }] },
    { filters: { tenant: { companyIds: [truck.company.id], receivesWork: false, shared: true } } },
  );
  for (const share of shares) {
    if (share.defaultEquipment?.id === id) share.defaultEquipment = null;
    share.defaultAdditionalEquipmentIds = without(share.defaultAdditionalEquipmentIds);
  }
}

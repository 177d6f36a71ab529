import { ref } from '@mikro-orm/core';
import type { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { CompanyShare } from '../../directory/shares/company-share.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import type { InviteAccountInput, InviteEquipmentInput } from './account.inputs.ts';

/** Collects an error for names of the new company's truck that are only blanks. */
export function collectBlank(truck: InviteEquipmentInput | null | undefined, to: ErrorCollector): void {
  for (const field of ['name', 'equipmentTypeName'] as const)
    if (truck?.[field].trim() === '') to.items.push({ model: to.model, field: `equipment.${field}`, key: 'required' });
}

/** The new company's truck, shared with the inviting company; an administrator who is also a driver drives it. */
export function invitedTruck(tx: TxContext, invited: Invited, inviter: Company, admin: User, input: InviteEquipmentInput): void {
  const { company, types } = invited;
  const own = { company: ref(company) };
  const name = input.equipmentTypeName.trim();
  const known = types.find((type) => foldText(type.name) === foldText(name));
  const type = known ?? Object.assign(new EquipmentType(), { ...own, name });
  const truck = Object.assign(new Equipment(), {
    ...own,
    name: input.name.trim(),
    externalId: input.externalId?.trim() || null,
    licenseNumber: input.licenseNumber?.trim() || null,
    equipmentType: ref(type),
  });
  const share = Object.assign(new CompanyShare(), {
    companyId: company.id,
    senderCompany: ref(company),
    receiverCompany: ref(inviter),
    companyShareableType: 'Equipment',
    companyShareableId: truck.id,
    externalId: input.companyShareExternalId?.trim() || null,
    dispatchable: false,
  });
  tx.em.persist([type, truck, share]);
  if (admin.roles.includes('driver')) Object.assign(admin, { equipment: ref(truck), defaultEquipment: ref(truck) });
  if (!known) emitEvent(tx, 'equipment_type.created', type);
  emitEvent(tx, 'equipment.created', truck);
  emitEvent(tx, 'company_share.created', share);
}

/** A company that is being made, and the kinds of trucks it begins with. */
interface Invited {
  company: Company;
  types: readonly EquipmentType[];
}

/** A truck of the inviting company. Collects an error for a blank name, and for a type or home base of another company or discarded ones. */
export async function internalTruck(tx: TxContext, inviter: Company, input: InviteAccountInput, to: ErrorCollector): Promise<void> {
  const given = input.internalEquipment;
  if (!given) return;
  const { type, home } = await resolveReferences(
    tx,
    given,
    { type: [EquipmentType, 'equipmentTypeId'], home: [Site, 'homeBaseId'] },
    { model: to.model, path: 'internalEquipment.', companyId: inviter.id, items: to.items },
  );
  const report = (field: string, key: string) => to.items.push({ model: to.model, field: `internalEquipment.${field}`, key });
  const name = given.name.trim();
  if (name === '') report('name', 'required');
  if (type?.discardedAt) report('equipmentTypeId', 'must_exist');
  if (home?.discardedAt) report('homeBaseId', 'must_exist');
  if (!type) return;
  const truck = Object.assign(new Equipment(), { company: ref(inviter), name, equipmentType: ref(type) });
  if (given.ownership) truck.ownership = given.ownership;
  if (given.state) truck.state = given.state;
  truck.homeBase = home ? ref(home) : null;
  tx.em.persist(truck);
  emitEvent(tx, 'equipment.created', truck);
}

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

/** The new company's truck, shared with the inviting company; an administrator who is also a driver drives it. */
export function invitedTruck(tx: TxContext, invited: Invited, inviter: Company, admin: User, input: InviteEquipmentInput): void {
  const { company, types } = invited;
  const own = { company: ref(company) };
  const name = input.equipmentTypeName;
  const known = types.find((type) => foldText(type.name) === foldText(name));
  const type = known ?? Object.assign(new EquipmentType(), { ...own, name });
  const truck = Object.assign(new Equipment(), {
    ...own,
    name: input.name,
    externalId: input.externalId ?? null,
    licenseNumber: input.licenseNumber ?? null,
    equipmentType: ref(type),
  });
  const share = Object.assign(new CompanyShare(), {
    companyId: company.id,
    senderCompany: ref(company),
    receiverCompany: ref(inviter),
    companyShareableType: 'Equipment',
    companyShareableId: truck.id,
    externalId: input.companyShareExternalId ?? null,
    dispatchable: false,
  });
  tx.em.persist([type, truck, share]);
  if (admin.roles.includes('driver')) Object.assign(admin, { equipment: ref(truck), defaultEquipment: ref(truck) });
  emitEvent(tx, 'company_share.created', share);
}

/** A company that is being made, and the kinds of trucks it begins with. */
interface Invited {
  company: Company;
  types: readonly EquipmentType[];
}

/** A truck of the inviting company. Collects an error for a type or home base of another company. */
export async function internalTruck(tx: TxContext, inviter: Company, input: InviteAccountInput, to: ErrorCollector): Promise<void> {
  const given = input.internalEquipment;
  if (!given) return;
  const { type, home } = await resolveReferences(
    tx,
    given,
    { type: [EquipmentType, 'equipmentTypeId'], home: [Site, 'homeBaseId'] },
    { model: to.model, path: 'internalEquipment.', companyId: inviter.id, items: to.items },
  );
  if (!type) return;
  const truck = Object.assign(new Equipment(), { company: ref(inviter), name: given.name, equipmentType: ref(type) });
  if (given.ownership) truck.ownership = given.ownership;
  if (given.state) truck.state = given.state;
  truck.homeBase = home ? ref(home) : null;
  tx.em.persist(truck);
}

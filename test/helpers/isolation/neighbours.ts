import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import type { Tenant } from '../tenant.ts';

/** The records around a tenant's company. */
export interface Neighbours {
  childCompany: string;
  /** Platform id of a company that is not connected yet. */
  partner: string;
  companyShare: string;
  managedCompany: string;
  managedShare: string;
  managedSite: string;
  managedUser: string;
  managedScope: string;
  equipment: string;
  inactiveEquipment: string;
  managedTruck: string;
  managedAccount: string;
  managedType: string;
}

/** Fields that use up the neighbours; all other fields share them. */
const USES =
  /^(move|discard|connect|create|update|delete|activate|deactivate|manage|unmanage|set)\w*(Compan|Share|Equipment)|^connectAccount$|^(create|update|delete|deactivate|invite)Managed/;
let companies = 0;
/** Returns a new telephone number: each worker has its own database. */
const phoneOf = (number: number): string => `+1416${2_000_000 + number}`;
const known = new Map<string, Neighbours>();

/** Returns a child, a stranger, a managed company, a truck and shares; new ones for a root field that uses them up, or if none is named. */
export async function neighboursOf(tenant: Tenant, root?: string): Promise<Neighbours> {
  const before = known.get(tenant.company.id);
  const usedUp = root === undefined || USES.test(root);
  if (before && !usedUp) return before;
  const em = tenant.app.orm.em.fork();
  const build = <T extends object>(type: new () => T, fields: object): T => {
    const record = Object.assign(new type(), fields);
    em.persist(record);
    return record;
  };
  const company = (legalName: string, more: object = {}) => {
    return build(Company, { platformId: (0x200000 + ++companies).toString(16).toUpperCase(), legalName, ...more });
  };
  const own = { company: ref(tenant.company) };
  const child = company('Child', { parentCompany: ref(tenant.company) });
  const partner = company('Partner');
  const managed = company('Managed', { platformCustomer: false });
  const type = build(EquipmentType, { ...own, name: 'Dump' });
  const managedType = build(EquipmentType, { company: ref(managed), name: 'Dump' });
  const trucks = (['active', 'inactive'] as const).map((state) =>
    build(Equipment, { ...own, name: 'Truck', state, equipmentType: ref(type) }),
  );
  const managedTruck = build(Equipment, { company: ref(managed), name: 'Their truck', equipmentType: ref(managedType) });
  build(Account, { ...own, name: 'Managed', connectedCompany: ref(managed), managed: true });
  const managedAccount = build(Account, { company: ref(managed), name: 'Manager', connectedCompany: ref(tenant.company) });
  const places = ['Yard', 'Other yard'].map((name) => build(Site, { company: ref(managed), name }));
  const named = { firstName: 'Mina', lastName: 'Managed', email: `mina${companies}@example.com`, phone: phoneOf(companies) };
  const person = build(User, { company: ref(managed), roles: ['driver'], ...named });
  const scope = build(ResourceScope, { company: ref(managed), user: ref(person), site: ref(places[0]!) });
  const share = (from: Company, to: Company, what: object) =>
    build(CompanyShare, { companyId: from.id, senderCompany: ref(from), receiverCompany: ref(to), dispatchable: true, ...what });
  const given = share(tenant.company, partner, { companyShareableType: 'User', companyShareableId: tenant.driver.id });
  const taken = share(managed, tenant.company, { companyShareableType: 'Site', companyShareableId: places[0]!.id });
  await em.flush();
  forgetViewers(tenant.app.application);
  const made = {
    childCompany: child.id,
    partner: partner.platformId,
    companyShare: given.id,
    managedCompany: managed.id,
    managedShare: taken.id,
    managedSite: places[1]!.id,
    managedUser: person.id,
    managedScope: scope.id,
    equipment: trucks[0]!.id,
    inactiveEquipment: trucks[1]!.id,
    managedTruck: managedTruck.id,
    managedAccount: managedAccount.id,
    managedType: managedType.id,
  };
  if (!usedUp) known.set(tenant.company.id, made);
  return made;
}

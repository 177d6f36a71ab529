import { ContactInput } from '../directory/contact.inputs.ts';
import { CreateMaterialInput } from '../directory/materials.ts';
import { CreateSiteInput } from '../directory/site.inputs.ts';
import { UpdateOrderInput } from '../dispatch/order.inputs.ts';
import { DispatchNumberInput, PhaseInput } from '../dispatch/part.inputs.ts';
import { InviteAccountInput, InviteEquipmentInput } from '../identity/account.inputs.ts';
import { CreateUserInput } from '../identity/user.inputs.ts';
import { type Rule, ruleOf } from '../platform/graphql/rules.ts';
import { CreateTicketInput } from '../proof/ticket.inputs.ts';

/** What a name and an id may be. */
export interface NamedLimits {
  name: Rule;
  externalId: Rule;
}

const account: NamedLimits = { name: ruleOf(InviteAccountInput, 'name'), externalId: ruleOf(InviteAccountInput, 'externalId') };

/**
 * The rules of the API's own inputs, read from where they are declared, so that an import takes what a request takes. Of master data
 * by the field a payload has it in.
 */
export const LIMITS = {
  customer: account,
  vendors: account,
  vendor: account,
  material: { name: ruleOf(CreateMaterialInput, 'name'), externalId: ruleOf(CreateMaterialInput, 'externalId') },
  materials: { name: ruleOf(CreateMaterialInput, 'name'), externalId: ruleOf(CreateMaterialInput, 'externalId') },
  equipment_type: { name: ruleOf(InviteEquipmentInput, 'equipmentTypeName'), externalId: ruleOf(InviteEquipmentInput, 'externalId') },
  site: { name: ruleOf(CreateSiteInput, 'name'), externalId: ruleOf(CreateSiteInput, 'externalId') },
  projectName: ruleOf(CreateMaterialInput, 'name'),
  siteAddress: ruleOf(CreateSiteInput, 'fullAddress'),
  person: {
    firstName: ruleOf(CreateUserInput, 'firstName'),
    lastName: ruleOf(CreateUserInput, 'lastName'),
    email: ruleOf(CreateUserInput, 'email'),
    externalId: ruleOf(CreateUserInput, 'externalId'),
  },
  contact: { name: ruleOf(ContactInput, 'name'), email: ruleOf(ContactInput, 'email') },
  phase: { name: ruleOf(PhaseInput, 'name'), code: ruleOf(PhaseInput, 'code') },
  truckId: ruleOf(InviteEquipmentInput, 'externalId'),
  dispatchNumber: ruleOf(DispatchNumberInput, 'name'),
  ticketNumber: ruleOf(CreateTicketInput, 'ticketNumber'),
  /** Of a quantity that somebody asks for. */
  quantity: ruleOf(UpdateOrderInput, 'quantity'),
} as const;

/** Root fields that only projects have, by the field of an order that means the same. */
const SAME: Readonly<Record<string, string>> = { order_quantity: 'quantity' };

/** The rule of a root field of an order or project, by its wire name. */
export function rootLimit(field: string): Rule {
  const name = (SAME[field] ?? field).replace(/_[a-z]/g, (step) => step[1]!.toUpperCase());
  return ruleOf(UpdateOrderInput, name as keyof UpdateOrderInput);
}

/** Most elements of a list inside an element; more fail it, because what is wrong with the rest of it would go unread. */
export const MOST_OF: Readonly<Record<string, number>> = {
  sites: 100,
  foremen: 100,
  collaborators: 100,
  salespeople: 100,
  vendors: 100,
  phases: 500,
  materials: 500,
};

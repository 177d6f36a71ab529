import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { CreateEquipmentTypeInput } from '../../directory/equipment/equipment-types.ts';
import { CreateMaterialInput } from '../../directory/master-data/materials.ts';
import { CreateSiteInput } from '../../directory/sites/site.inputs.ts';
import { DispatchNumberInput, PhaseInput } from '../../dispatch/fields/part.inputs.ts';
import { UpdateOrderInput } from '../../dispatch/orders/order.inputs.ts';
import { CreateProjectMaterialInput } from '../../dispatch/projects/project.inputs.ts';
import { CreateUserInput } from '../../identity/people/user.inputs.ts';
import { CreateAccountInput, InviteEquipmentInput } from '../../partners/accounts/account.inputs.ts';
import { type Rule, ruleOf } from '../../platform/graphql/rules.ts';
import { CreateTicketInput } from '../../proof/ticket.inputs.ts';

/** The rules of a name and an id. */
export interface NamedLimits {
  name: Rule;
  externalId: Rule;
}

const account: NamedLimits = { name: ruleOf(CreateAccountInput, 'name'), externalId: ruleOf(CreateAccountInput, 'externalId') };

/**
 * The rules of the API's own inputs, read from where they are declared, so that an import accepts what a request accepts. Master data is
 * listed by the field in which a payload has it.
 */
export const LIMITS = {
  customer: account,
  vendors: account,
  vendor: account,
  supplier: account,
  material: { name: ruleOf(CreateMaterialInput, 'name'), externalId: ruleOf(CreateMaterialInput, 'externalId') },
  materials: { name: ruleOf(CreateMaterialInput, 'name'), externalId: ruleOf(CreateMaterialInput, 'externalId') },
  equipment_type: { name: ruleOf(CreateEquipmentTypeInput, 'name'), externalId: ruleOf(CreateEquipmentTypeInput, 'externalId') },
  site: { name: ruleOf(CreateSiteInput, 'name'), externalId: ruleOf(CreateSiteInput, 'externalId') },
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
  orderExternalId: ruleOf(UpdateOrderInput, 'externalId'),
  ticketNumber: ruleOf(CreateTicketInput, 'ticketNumber'),
  weight: ruleOf(CreateTicketInput, 'grossQuantity'),
  weighedBy: ruleOf(CreateTicketInput, 'weighedBy'),
  totalQuantity: ruleOf(CreateProjectMaterialInput, 'totalQuantity'),
} as const;

/**
 * Returns the rules of root fields of an input, by their wire names.
 * @throws Error if a field has none
 */
export function rootLimits<T extends object>(input: { prototype: T }, fields: readonly string[]): Readonly<Record<string, Rule>> {
  const camel = (field: string) => field.replace(/_[a-z]/g, (step) => step[1]!.toUpperCase());
  return Object.fromEntries(fields.map((field) => [field, ruleOf(input, camel(field) as keyof T & string)]));
}

/** The most elements of a list inside an element. More fail it, because the rest would not be checked. */
export const MOST_OF: Readonly<Record<string, number>> = {
  sites: 100,
  foremen: 100,
  collaborators: 100,
  salespeople: 100,
  vendors: 100,
  phases: 500,
  materials: 500,
};

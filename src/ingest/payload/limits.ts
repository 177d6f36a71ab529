import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { CreateEquipmentTypeInput } from '../../directory/equipment/equipment-types.ts';
import { CreateMaterialInput } from '../../directory/master-data/materials.ts';
import { CreateSiteInput } from '../../directory/sites/site.inputs.ts';
import { DispatchNumberInput, PhaseInput } from '../../dispatch/fields/part.inputs.ts';
import { CreateProjectMaterialInput } from '../../dispatch/projects/project.inputs.ts';
import { CreateUserInput } from '../../identity/people/user.inputs.ts';
import { CreateAccountInput, InviteEquipmentInput } from '../../partners/accounts/account.inputs.ts';
import { type Rule, ruleOf } from '../../platform/graphql/rules.ts';
import { CreateTicketInput } from '../../proof/ticket.inputs.ts';

/** What a name and an id may be. */
export interface NamedLimits {
  name: Rule;
  externalId: Rule;
}

const account: NamedLimits = { name: ruleOf(CreateAccountInput, 'name'), externalId: ruleOf(CreateAccountInput, 'externalId') };

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
  ticketNumber: ruleOf(CreateTicketInput, 'ticketNumber'),
  totalQuantity: ruleOf(CreateProjectMaterialInput, 'totalQuantity'),
} as const;

/**
 * The rules of root fields of an input, by their wire names.
 * @throws Error when one of them has none
 */
export function rootLimits<T extends object>(input: { prototype: T }, fields: readonly string[]): Readonly<Record<string, Rule>> {
  const camel = (field: string) => field.replace(/_[a-z]/g, (step) => step[1]!.toUpperCase());
  return Object.fromEntries(fields.map((field) => [field, ruleOf(input, camel(field) as keyof T & string)]));
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

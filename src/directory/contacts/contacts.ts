import type { EntityManager } from '@mikro-orm/postgresql';
import { asAddress, isEmail } from '../../platform/email.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { readPhone } from '../../platform/phone.ts';
import { Contact } from './contact.entity.ts';
import type { ContactInput } from './contact.inputs.ts';

type Reachable = Pick<ContactInput, 'name' | 'email' | 'phone'>;

/** Line breaks and what turns the direction of writing: a name with them says in mails and lists what it is not. */
const NOT_OF_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** True for a name without line ends and control characters. */
export const isOneLine = (text: string): boolean => !NOT_OF_NAMES.test(text);

/** An e-mail address, or null for an empty one. Collects `invalid_email` when it is none. */
export function emailOf(input: Reachable, field: string, to: ErrorCollector): string | null {
  const email = asAddress(input.email ?? '');
  if (!email) return null;
  if (!isEmail(email)) to.items.push({ model: to.model, field: `${field}.email`, key: 'invalid_email' });
  return email;
}

/**
 * A telephone number in E.164; undefined when absent, null for an empty one. Collects an error when it is not valid, or has an extension.
 */
export function phoneOf(input: Reachable, field: string, to: ErrorCollector): string | null | undefined {
  if (input.phone === undefined || input.phone === null || input.phone === '') return input.phone === '' ? null : input.phone;
  const { number, wrong } = readPhone(input.phone);
  if (wrong) to.items.push({ model: to.model, field: `${field}.phone`, key: wrong });
  return number;
}

/** Returns the values of a new contact, normalized. */
export function contactValuesOf(input: Reachable, field: string, to: ErrorCollector): Record<'name' | 'email' | 'phone', string | null> {
  return { name: input.name ?? null, email: emailOf(input, field, to), phone: phoneOf(input, field, to) ?? null };
}

/** A new contact of a company. */
export function makeContact(em: EntityManager, companyId: string, input: Reachable, field: string, to: ErrorCollector): Contact {
  const contact = Object.assign(new Contact(), { companyId, ...contactValuesOf(input, field, to) });
  em.persist(contact);
  return contact;
}

/** Changes the fields of a contact that are sent; absent fields are kept. */
export function changeContact(contact: Contact, input: Reachable, field: string, to: ErrorCollector): void {
  if (input.name !== undefined) contact.name = input.name;
  if (input.email !== undefined) contact.email = emailOf(input, field, to);
  const phone = phoneOf(input, field, to);
  if (phone !== undefined) contact.phone = phone;
}

import { domainToASCII } from 'node:url';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ErrorItem } from '../platform/errors.ts';
import { readPhone } from '../platform/phone.ts';
import { Contact } from './contact.entity.ts';
import type { ContactInput } from './contact.inputs.ts';
import './contacts.messages.ts';

/** Where problems of a part are told: the model, and a collector of all of them. */
export interface Telling {
  model: string;
  items: ErrorItem[];
}

type Reachable = Pick<ContactInput, 'name' | 'email' | 'phone'>;

/** What RFC 5322 and 6531 allow before the sign without quotes, and names of hosts behind it: nothing that cannot be seen, and no `<` or `,`. */
const EMAIL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?!\.)(?!\S*\.\.)[A-Za-z\d_.-]{1,180}\.[A-Za-z\d-]{2,63}$/u;

/** True for what looks like an e-mail address and has the form in which addresses are kept, see `asAddress`. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** Line breaks and what turns the direction of writing: a name with them says in mails and lists what it is not. */
const NOT_OF_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** True for a name that stands in one line. */
export const isOneLine = (text: string): boolean => !NOT_OF_NAMES.test(text);

/**
 * An e-mail address as it is kept and looked for: one letter with its accent is the same as the letter followed by it, and a domain is
 * what name servers are asked for (`münchen.example` is `xn--mnchen-3ya.example`). What is no domain stays, and is no address.
 */
export function asAddress(text: string): string {
  const whole = text.trim().normalize('NFC');
  const from = whole.lastIndexOf('@') + 1;
  const domain = whole.slice(from);
  // Only then, because a domain of digits alone would be read as numbers of a host.
  return from > 0 && /[^\0-\x7f]/.test(domain) ? whole.slice(0, from) + (domainToASCII(domain) || domain) : whole;
}

/** An e-mail address, or null for an empty one. Tells `invalid_email` when it is none. */
export function emailOf(input: Reachable, field: string, to: Telling): string | null {
  const email = asAddress(input.email ?? '');
  if (!email) return null;
  if (!isEmail(email)) to.items.push({ model: to.model, field: `${field}.email`, key: 'invalid_email' });
  return email;
}

/** A telephone number in E.164; undefined when absent, null for an empty one. Tells when it is none, or has an extension. */
export function phoneOf(input: Reachable, field: string, to: Telling): string | null | undefined {
  if (input.phone === undefined || input.phone === null || input.phone === '') return input.phone === '' ? null : input.phone;
  const { number, wrong } = readPhone(input.phone);
  if (wrong) to.items.push({ model: to.model, field: `${field}.phone`, key: wrong });
  return number;
}

/** A new contact of a company. */
export function makeContact(em: EntityManager, companyId: string, input: Reachable, field: string, to: Telling): Contact {
  const contact = Object.assign(new Contact(), {
    companyId,
    name: input.name ?? null,
    email: emailOf(input, field, to),
    phone: phoneOf(input, field, to) ?? null,
  });
  em.persist(contact);
  return contact;
}

/** Changes what is given of a contact; absent fields stay. */
export function changeContact(contact: Contact, input: Reachable, field: string, to: Telling): void {
  if (input.name !== undefined) contact.name = input.name;
  if (input.email !== undefined) contact.email = emailOf(input, field, to);
  const phone = phoneOf(input, field, to);
  if (phone !== undefined) contact.phone = phone;
}

import { LIMITS } from './limits.ts';
import type { ContactDraft, OrderDraft, PersonDraft } from './order-draft.ts';
import type { PayloadReader } from './payload-reader.ts';

const { person: limits, contact: contactLimits } = LIMITS;

/** Returns a list of people; those without a key are left out with a warning. */
export function readPeople(reader: PayloadReader, field: string): PersonDraft[] {
  return reader.list(field).flatMap((value, i): PersonDraft[] => {
    const pointer = `/${field}/${i}`;
    const given = reader.object(value, pointer);
    if (!given) return [];
    const before = reader.problems.length;
    const name = reader.text(given.name, `${pointer}/name`)?.split(/\s+/);
    const person: PersonDraft = {
      pointer,
      externalId: reader.id(given.external_id, `${pointer}/external_id`, limits.externalId),
      firstName:
        reader.nameOf(given.first_name, `${pointer}/first_name`, limits.firstName) ??
        reader.nameOf(name?.[0], `${pointer}/name`, limits.firstName),
      lastName:
        reader.nameOf(given.last_name, `${pointer}/last_name`, limits.lastName) ??
        reader.nameOf(name?.slice(1).join(' '), `${pointer}/name`, limits.lastName),
      email: reader.email(given.email, `${pointer}/email`, limits.email)?.toLowerCase(),
      phone: reader.phone(given.phone, `${pointer}/phone`),
    };
    if (person.externalId || person.email || person.phone) return [person];
    // A refused key was reported already.
    if (reader.problems.length === before) reader.warn('person_without_key', pointer, value);
    return [];
  });
}

const KINDS = ['sales', 'foreman', 'supervisor', 'collaborator'] as const;
/** The fields of a payload that hold contacts. */
export const CONTACTS: readonly string[] = KINDS.map((kind) => `${kind}_contact`);

/** Returns the contacts that were sent. Each is complete: what it leaves out is empty, and null removes it. */
export function readContacts(reader: PayloadReader): OrderDraft['contacts'] {
  const contacts: OrderDraft['contacts'] = {};
  for (const kind of KINDS) {
    const pointer = `/${kind}_contact`;
    const value = reader.payload[`${kind}_contact`];
    const given = value === null ? {} : reader.object(value, pointer);
    if (!given) continue;
    const contact: ContactDraft = {
      name: reader.text(given.name, `${pointer}/name`, contactLimits.name) ?? null,
      email: reader.email(given.email, `${pointer}/email`, contactLimits.email) ?? null,
      phone: reader.phone(given.phone, `${pointer}/phone`) ?? null,
    };
    contacts[kind] = contact;
  }
  return contacts;
}

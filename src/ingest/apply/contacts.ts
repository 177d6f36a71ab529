import { type ContactRow, recordContact, writeContacts } from '../../dispatch/fields/write-parts.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import type { ContactDraft, OrderDraft } from '../payload/order-draft.ts';
import type { Change } from './change.ts';

type Contacts = OrderDraft['contacts'];
type Kind = keyof Contacts;
const FIELDS = ['name', 'email', 'phone'] as const;

/** Returns the contacts of a new record's draft, by kind. */
export const contactRows = (draft: { contacts: Contacts }): Partial<Record<Kind, ContactRow>> =>
  Object.fromEntries(
    named(draft.contacts).flatMap(([kind, contact]) => (isSomebody(contact) ? [[kind, { id: newId(), ...contact }]] : [])),
  );

/** Returns the contacts of a new record in the form of its changes. */
export const describeContacts = (draft: { contacts: Contacts }): Record<string, ContactDraft> =>
  Object.fromEntries(named(draft.contacts).flatMap(([kind, contact]) => (isSomebody(contact) ? [[`${kind}_contact`, contact]] : [])));

/**
 * Replaces the contacts of known records by those of their payloads. A contact keeps its id, and fields that a person changed are kept. A
 * contact without values is deleted, and one that a person removed is not created again.
 */
export async function upsertContacts(tx: BatchTx, items: readonly { change: Change; contacts: Contacts }[]): Promise<void> {
  const known = await knownContacts(
    tx,
    items.flatMap(({ change, contacts }) => named(contacts).flatMap(([kind]) => change.known.columns[columnOf(kind)] ?? [])),
  );
  const added: ContactRow[] = [];
  const changed: ContactRow[] = [];
  for (const { change, contacts } of items) {
    for (const [kind, wanted] of named(contacts)) {
      const id = change.known.columns[columnOf(kind)] ?? null;
      const before = known.get(id ?? '') ?? null;
      const different = FIELDS.filter((field) => wanted[field] !== (before?.[field] ?? null));
      if (different.length === 0 || change.meetsLock()) continue;
      const kept = different.filter((field) => change.known.edited.hasContact(kind, field));
      if (!before && kept.length > 0) {
        change.keep(`/${kind}_contact`, { used: null });
        continue;
      }
      for (const field of kept) change.keep(`/${kind}_contact/${field}`, { used: before![field] });
      if (kept.length === different.length) continue;
      const after = { ...wanted, ...Object.fromEntries(kept.map((field) => [field, before![field]])) };
      change.audit[`${kind}_contact`] = [before, isSomebody(after) ? after : null];
      if (!isSomebody(after)) change.set[columnOf(kind)] = null;
      else if (id && before) changed.push({ id, ...after });
      else {
        const contact = { id: newId(), ...after };
        added.push(contact);
        recordContact(tx.recordsOf(change.record), tx.company.id, contact);
        change.set[columnOf(kind)] = contact.id;
      }
    }
  }
  await writeContacts(tx, tx.company.id, { added, changed });
}

/** True if a contact has any value. */
const isSomebody = (contact: ContactDraft): boolean => FIELDS.some((field) => contact[field] !== null);
const columnOf = (kind: Kind): string => `${kind}_contact_id`;
const named = (contacts: Contacts) => Object.entries(contacts) as [Kind, ContactDraft][];

async function knownContacts(tx: BatchTx, ids: string[]): Promise<Map<string, ContactDraft>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<ContactDraft & { id: string } & Record<string, unknown>>(
    'select id, name, email, phone from contact where id = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, name, email, phone }) => [id, { name, email, phone }]));
}

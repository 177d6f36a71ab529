import { namedStatement } from '../../platform/database/named-statements.ts';
import { GUESSES } from '../code-sentences.ts';
import type { ClaimedRecord, Warning } from '../importer.ts';
import type { Among } from '../nested/known-records.ts';
import { type LookUp, lookUpNested } from '../nested/match.ts';
import { regionOf } from '../payload/region.ts';
import type { ImportWarningCode } from '../warning-codes.ts';
import type { LinkTx, Sender } from './link-tx.ts';
import { parseTicket } from './parse-ticket.ts';
import type { TicketDraft } from './ticket-draft.ts';

const CUSTOMER: Among = { kind: 'customer' };
const VENDOR: Among = { kind: 'vendor' };
const FIELDS = ['material', 'customer', 'vendor', 'site'] as const;
type Field = (typeof FIELDS)[number];
const UNKNOWN: Record<Field, ImportWarningCode> = {
  material: 'unknown_material',
  customer: 'unknown_customer',
  vendor: 'unknown_vendor',
  site: 'unknown_site',
};

/** Whoever sent a ticket, and what they sent. */
type Sent = Sender & Pick<ClaimedRecord, 'payload'>;

/**
 * Finds the material, customer, vendor and site that tickets name, and warns of those that nobody knows: tickets come from scales of other
 * companies, so their names create no master data.
 * @returns ids of those found, by the part of the draft that names them
 */
export async function findNamed(tx: LinkTx, read: readonly { record: Sent; draft: TicketDraft }[]): Promise<Map<object, string>> {
  const found = await lookUpNested<Sent>(
    tx,
    read.flatMap(({ record, draft }) => wishesOf(record, draft)),
  );
  for (const { draft } of read)
    for (const field of FIELDS) {
      const part = draft[field];
      if (part && !found.has(part))
        draft.warnings.push({ code: UNKNOWN[field], pointer: part.pointer, given: part.name ?? part.externalId });
    }
  return found;
}

function wishesOf(record: Sent, { material, customer, vendor, site, warnings }: TicketDraft): LookUp<Sent>[] {
  // The sites that the sender may name.
  const among: Among = record.limits?.siteIds ? { ids: new Set(record.limits.siteIds) } : {};
  return [
    ...(material ? [{ record, table: 'material' as const, part: material, warnings }] : []),
    ...(customer ? [{ record, table: 'account' as const, part: customer, among: CUSTOMER, warnings }] : []),
    ...(vendor ? [{ record, table: 'account' as const, part: vendor, among: VENDOR, warnings }] : []),
    ...(site ? [{ record, table: 'site' as const, part: site, among, warnings }] : []),
  ];
}

/** The ids of what a ticket named before it was there; absent ones are unknown as before. */
export type NewlyKnown = Partial<Record<Field, string>>;

/** A ticket that was made, with what it was made of. */
interface Made {
  /** Null if it is not kept any more. */
  payload: Record<string, unknown> | null;
  warnings: Warning[] | null;
  /** Its sender wants no guesses. */
  strict: boolean | null;
}

const isOfField = (field: Field) => (warning: Warning) => warning.code === UNKNOWN[field] && warning.pointer === `/${field}`;
const isOfNamed = (warning: Warning): boolean => FIELDS.some((field) => isOfField(field)(warning));

/**
 * Looks again for what tickets name and nobody knew when they came: an order that comes later may have brought it. A ticket then ends where it
 * would have ended had its order come first. What would be a guess that its sender does not want stays unknown.
 * @returns what is known now, and all warnings as they would be if the ticket came now, by the ticket; nothing of tickets of which nothing new
 * is known
 */
export async function findNamedAnew<T extends Made>(
  tx: LinkTx,
  tickets: readonly { ticket: T; record: Sender }[],
): Promise<Map<T, { known: NewlyKnown; warnings: Warning[] }>> {
  const region = regionOf(tx.company.timeZone);
  const read = tickets.flatMap(({ ticket, record: { limits } }) => {
    const { payload, warnings } = ticket;
    if (!payload || !warnings?.some(isOfNamed)) return [];
    const { draft } = parseTicket(payload, tx.company.timeZone, region);
    if (!draft) return [];
    const unknown = FIELDS.filter((field) => warnings.some(isOfField(field)));
    const parts = Object.fromEntries(unknown.map((field) => [field, draft[field]]));
    const none = { material: undefined, customer: undefined, vendor: undefined, site: undefined };
    return [{ ticket, unknown, record: { limits, payload }, draft: { ...draft, ...none, ...parts, warnings: [] as Warning[] } }];
  });
  if (read.length === 0) return new Map();
  const found = await findNamed(tx, read);
  return new Map(
    read.flatMap(({ ticket, unknown, draft }) => {
      const isGuessed = (field: Field): boolean =>
        ticket.strict === true && draft.warnings.some(({ code, pointer }) => pointer === `/${field}` && GUESSES.has(code));
      const guessed = unknown.filter(isGuessed);
      const known: NewlyKnown = Object.fromEntries(
        unknown.flatMap((field) => {
          const part = draft[field];
          const id = part && !guessed.includes(field) && found.get(part);
          return id ? [[field, id]] : [];
        }),
      );
      if (Object.keys(known).length === 0) return [];
      const others = ticket.warnings!.filter((warning) => !isOfNamed(warning) || guessed.some((field) => isOfField(field)(warning)));
      const ofOthers = draft.warnings.filter(({ pointer }) => !guessed.some((field) => pointer === `/${field}`));
      return [[ticket, { known, warnings: [...others, ...ofOthers] }] as const];
    }),
  );
}

/** Notes the vendors that waiting tickets name, once they are known: they decide whose names of trucks count. */
export async function noteVendors({ query }: Pick<LinkTx, 'query'>, vendors: ReadonlyMap<string, string>): Promise<void> {
  if (vendors.size > 0) await query(NOTE_VENDORS, [[...vendors.keys()], [...vendors.values()]]);
}

const NOTE_VENDORS = namedStatement(`
update waiting_ticket w set vendor_id = v.vendor from unnest($1::uuid[], $2::uuid[]) v(ticket, vendor) where w.ticket_id = v.ticket`);

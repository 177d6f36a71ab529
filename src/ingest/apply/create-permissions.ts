import type { Viewer } from '../../platform/context.ts';
import type { BatchTx, ClaimedRecord, Failure, Problem } from '../importer.ts';
import { type Among, candidates, type Known, type Matched } from '../orders/known-records.ts';
import { asPerson, asWanted } from '../orders/nested.ts';
import type { Named, OrderDraft, PersonDraft } from '../orders/order-draft.ts';
import '../ingest.messages.ts';

/** What it takes to make each nested record, and to give jobs to a vendor, by the routes of their own. */
const TO_MAKE: Record<Matched, string> = {
  account: 'create_account',
  material: 'create_materials',
  site: 'create_site',
  equipment_type: 'create_equipment_type',
  app_user: 'create_user',
};
export const TO_ASSIGN = 'assign_job';

/**
 * Which of these a person lacks who sends a payload; undefined for who has them all. A machine that may send makes what its payloads name
 * (SPEC): it is nobody whose role says otherwise.
 */
export function lackingOf(viewer: Pick<Viewer, 'type' | 'can'>): string[] | undefined {
  if (viewer.type === 'M2MClient') return undefined;
  const lacking = [...Object.values(TO_MAKE), TO_ASSIGN].filter((permission) => !viewer.can(permission));
  return lacking.length > 0 ? lacking : undefined;
}

/** Parts of a draft that name other records, and are left out where these may not be made. */
type Draft = Pick<
  OrderDraft,
  'customer' | 'sites' | 'equipmentType' | 'foremen' | 'collaborators' | 'salespeople' | 'vendors' | 'warnings'
> & {
  material?: Named;
  materials?: Named[];
};

/**
 * Holds people to what they may make by the routes of their own: a payload of theirs that names a new customer or site fails, and other
 * new records it names are left out with a warning. Asked before anything is written; no statement where nobody lacks anything.
 * @returns why payloads are refused
 */
export async function mayMake(tx: BatchTx, sent: readonly Held[]): Promise<Map<ClaimedRecord, Failure>> {
  const refused = new Map<ClaimedRecord, Failure>();
  const held = sent.filter(({ record }) => record.lacking);
  if (held.length === 0) return refused;
  const found = await foundFor(tx, held);
  for (const { record, draft } of held) {
    const isOpen: IsOpen = (table, part, among) =>
      !record.lacking!.includes(TO_MAKE[table]) || found[table].find(wantedOf(table, part), among) !== undefined;
    const [first, ...more] = [...mustNotMake(isOpen, 'account', [draft.customer]), ...mustNotMake(isOpen, 'site', draft.sites)];
    if (first) refused.set(record, { state: 'failed', ...first, more, warnings: draft.warnings });
    else leaveOut(isOpen, draft);
  }
  return refused;
}

/** What was sent, perhaps by somebody who may not make all that it names. */
interface Held {
  record: ClaimedRecord;
  draft: Draft;
}

/** Whether a part may be used: it is there, or its sender may make it. */
type IsOpen = (table: Matched, part: Named | PersonDraft, among?: Among) => boolean;

/** The records that are there of what senders may not make. */
async function foundFor(tx: BatchTx, held: readonly Held[]): Promise<Record<Matched, Known>> {
  const known = async (table: Matched, parts: (draft: Draft) => (Named | PersonDraft | undefined)[]): Promise<Known> =>
    candidates(
      tx,
      table,
      held
        .filter(({ record }) => record.lacking!.includes(TO_MAKE[table]))
        .flatMap(({ draft }) => parts(draft).flatMap((part) => (part ? [wantedOf(table, part)] : []))),
    );
  return {
    account: await known('account', ({ customer, vendors }) => [customer, ...vendors]),
    material: await known('material', ({ material, materials = [] }) => [material, ...materials]),
    site: await known('site', ({ sites }) => sites),
    equipment_type: await known('equipment_type', ({ equipmentType }) => [equipmentType]),
    app_user: await known('app_user', ({ foremen, collaborators, salespeople }) => [...foremen, ...collaborators, ...salespeople]),
  };
}

/** Why a payload fails that names such records. */
const mustNotMake = (isOpen: IsOpen, table: Matched, parts: readonly Named[]): Problem[] =>
  parts
    .filter((part) => !isOpen(table, part))
    .map(({ pointer }) => ({ code: 'not_allowed', pointer, key: 'import_may_not_make', params: { permission: TO_MAKE[table] } }));

/** Leaves out what the draft can do without, with a warning of each. */
function leaveOut(isOpen: IsOpen, draft: Draft): void {
  const only = <T extends Named | PersonDraft>(table: Matched, parts: readonly T[]): T[] =>
    parts.filter((part) => {
      const open = isOpen(table, part);
      if (!open) draft.warnings.push({ code: 'may_not_make', pointer: part.pointer, given: givenOf(part) });
      return open;
    });
  if (draft.material) [draft.material] = only('material', [draft.material]);
  if (draft.materials) draft.materials = only('material', draft.materials);
  if (draft.equipmentType) [draft.equipmentType] = only('equipment_type', [draft.equipmentType]);
  draft.vendors = only('account', draft.vendors);
  for (const people of ['foremen', 'collaborators', 'salespeople'] as const) draft[people] = only('app_user', draft[people]);
}

const isPerson = (part: Named | PersonDraft): part is PersonDraft => 'email' in part || 'phone' in part || 'firstName' in part;
const wantedOf = (table: Matched, part: Named | PersonDraft) => (table === 'app_user' ? asPerson(part) : asWanted(part as Named));
const givenOf = (part: Named | PersonDraft): string | undefined =>
  isPerson(part) ? (part.email ?? part.phone ?? part.externalId) : (part.name ?? part.externalId);

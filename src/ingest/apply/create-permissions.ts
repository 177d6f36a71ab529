import type { Viewer } from '../../platform/context.ts';
import type { BatchTx, ClaimedRecord, Failure, Problem } from '../importer.ts';
import { type Among, candidates, type Known, type Matched } from '../nested/known-records.ts';
import { asPerson, asWanted } from '../nested/nested.ts';
import type { Named, OrderDraft, PersonDraft } from '../payload/order-draft.ts';

/** The permission to create each kind of nested record, and to assign jobs to a vendor, as on their own routes. */
const TO_MAKE: Record<Matched, string> = {
  account: 'create_account',
  material: 'create_materials',
  site: 'create_site',
  equipment_type: 'create_equipment_type',
  app_user: 'create_user',
};
export const TO_ASSIGN = 'assign_job';

/**
 * Returns the permissions that a person who sends a payload lacks; undefined if none. A machine client may create everything that its
 * payloads name (SPEC).
 */
export function lackingOf(viewer: Pick<Viewer, 'type' | 'can'>): string[] | undefined {
  if (viewer.type === 'M2MClient') return undefined;
  const lacking = [...Object.values(TO_MAKE), TO_ASSIGN].filter((permission) => !viewer.can(permission));
  return lacking.length > 0 ? lacking : undefined;
}

/** Parts of a draft that name other records. They are left out if the sender may not create these. */
type Draft = Pick<
  OrderDraft,
  'customer' | 'sites' | 'equipmentType' | 'foremen' | 'collaborators' | 'salespeople' | 'vendors' | 'warnings'
> & {
  material?: Named;
  materials?: Named[];
  supplier?: Named;
};

/**
 * Checks that people create only what their own permissions allow. A payload that names a new customer or site fails without the
 * permission; other new records are left out with a warning. It is called before anything is written, and needs no statement if nobody
 * lacks a permission.
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

/** A payload whose sender may lack permissions to create what it names. */
interface Held {
  record: ClaimedRecord;
  draft: Draft;
}

/** True if a part may be used: the record exists, or its sender may create it. */
type IsOpen = (table: Matched, part: Named | PersonDraft, among?: Among) => boolean;

/** Returns the existing records among those that senders may not create. */
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
    account: await known('account', ({ customer, vendors, supplier }) => [customer, ...vendors, supplier]),
    material: await known('material', ({ material, materials = [] }) => [material, ...materials]),
    site: await known('site', ({ sites }) => sites),
    equipment_type: await known('equipment_type', ({ equipmentType }) => [equipmentType]),
    app_user: await known('app_user', ({ foremen, collaborators, salespeople }) => [...foremen, ...collaborators, ...salespeople]),
  };
}

/** Returns the errors of a payload that names new records its sender may not create. */
const mustNotMake = (isOpen: IsOpen, table: Matched, parts: readonly Named[]): Problem[] =>
  parts
    .filter((part) => !isOpen(table, part))
    .map(({ pointer }) => ({ code: 'not_allowed', pointer, key: 'import_may_not_make', params: { permission: TO_MAKE[table] } }));

/** Leaves out the optional parts of a draft, with a warning for each. */
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
  if (draft.supplier) [draft.supplier] = only('account', [draft.supplier]);
  for (const people of ['foremen', 'collaborators', 'salespeople'] as const) draft[people] = only('app_user', draft[people]);
}

const isPerson = (part: Named | PersonDraft): part is PersonDraft => 'email' in part || 'phone' in part || 'firstName' in part;
const wantedOf = (table: Matched, part: Named | PersonDraft) => (table === 'app_user' ? asPerson(part) : asWanted(part as Named));
const givenOf = (part: Named | PersonDraft): string | undefined =>
  isPerson(part) ? (part.email ?? part.phone ?? part.externalId) : (part.name ?? part.externalId);

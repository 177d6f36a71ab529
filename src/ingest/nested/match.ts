import type { BatchTx, ClaimedRecord, Match, Warning } from '../importer.ts';
import type { Named } from '../payload/order-draft.ts';
import { sentAt } from '../payload/sent-fields.ts';
import { earlierElements } from './earlier.ts';
import { type Among, candidates, type Found, type Known, type Matched, MODELS, type OfCompany, type Wanted } from './known-records.ts';
import { makeMissing } from './make-missing.ts';
import { asPerson, asSite, asWanted, type Matches, type Nested, type Picks } from './nested.ts';

const DEAD_VENDORS = `'vendor' = any(t.account_types)`;

/** A draft whose nested records are looked up. */
interface Sent {
  record: ClaimedRecord;
  draft: Nested;
  /** Nothing is created for it, because the record it matched takes over nothing that it names. */
  closed?: boolean;
}

/**
 * Finds the nested records of all drafts and creates the missing ones, with a statement for each table and at most one more to insert. A
 * lock for each company, taken only if something is missing, keeps two batches from creating the same record twice.
 */
export async function matchNested(tx: BatchTx, read: readonly Sent[]): Promise<Matches> {
  const all = read.flatMap(({ draft }) => partsOf(draft));
  const making = read.filter(({ closed }) => !closed);
  let known = await knownOf(tx, all);
  const picks: Picks = new Map();
  const discarded: Matches['discarded'] = new Map();
  const needed = making.flatMap(({ draft }) => partsOf(draft));
  if (needed.some(({ table, wanted, among }) => !known[table].find(wanted, among))) {
    if (!tx.dry && !tx.inTurn) await earlierElements(tx, read[0]!.record.kind);
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('haulgate:master:' || $1, 0))`, [tx.company.id]);
    known = await knownOf(tx, all, making.some(({ draft }) => draft.vendors.length > 0) ? DEAD_VENDORS : undefined);
    await makeMissing(tx, making, known, picks, discarded);
  } else pick(known, needed, picks);
  for (const { draft, closed } of read) if (closed) pick(known, partsOf(draft), picks);
  for (const one of read) describeMatches(tx, one, known, picks);
  const idOf = (part: object) => picks.get(part)?.id;
  const isVendor = (id: string) => known.account.isOf(id, 'vendor');
  const inactive = (id: string) => known.site.isInactive(id) || known.material.isInactive(id);
  return { account: idOf, vendor: idOf, isVendor, material: idOf, equipmentType: idOf, site: idOf, person: idOf, inactive, discarded };
}

/** Returns the records that the parts may mean, by a statement for each table. @param dead which discarded accounts are included */
async function knownOf(tx: BatchTx, parts: readonly Part[], dead?: string): Promise<Record<Matched, Known>> {
  const of = (table: Matched) =>
    candidates(
      tx,
      table,
      parts.filter((part) => part.table === table).map(({ wanted }) => wanted),
      table === 'account' ? dead : undefined,
    );
  return {
    account: await of('account'),
    material: await of('material'),
    equipment_type: await of('equipment_type'),
    site: await of('site'),
    app_user: await of('app_user'),
  };
}

/** Reports which records the parts of a draft were found to be, and how these differ from what was sent. */
function describeMatches(tx: BatchTx, { record, draft }: Sent, known: Record<Matched, Known>, picks: Picks): void {
  for (const { table, part, wanted } of partsOf(draft)) {
    const found = picks.get(part);
    if (!found) continue;
    if (part === draft.customer && !known.account.isOf(found.id, 'customer'))
      draft.warnings.push({ code: 'not_a_customer', pointer: part.pointer, given: draft.customer.name ?? draft.customer.externalId });
    // For a dry run.
    tx.matched(record, { pointer: part.pointer, model: MODELS[table], id: found.id, by: found.by });
    warnOfSeveral(draft.warnings, part.pointer, known[table], found, wanted);
    warnOfOthers(record, draft.warnings, part.pointer, known[table].others(found.id, wanted));
  }
}

/** Notes the known record that each part means, if there is one. */
function pick(known: Record<Matched, Known>, parts: readonly Part[], picks: Picks): void {
  for (const { table, part, wanted, among } of parts) {
    const found = known[table].find(wanted, among);
    if (found) picks.set(part, found);
  }
}

/** Says that the oldest of several records that fit was taken, and which one that is. */
function warnOfSeveral(warnings: Warning[], pointer: string, known: Known, { id, among }: Found, wanted: Wanted): void {
  if (among === undefined) return;
  const given = wanted.name ?? wanted.email ?? wanted.phone ?? wanted.external_id;
  warnings.push({ code: 'ambiguous_match', pointer, given, used: { found: among, id, external_id: known.externalIdOf(id) ?? null } });
}

const DEGREES = new Set(['lat', 'lon']);

/** SPEC: nested records are not updated on a match. Differences become warnings, with degrees as they were sent. */
function warnOfOthers(
  { payload }: Pick<ClaimedRecord, 'payload'>,
  warnings: Warning[],
  part: string,
  others: ReturnType<Known['others']>,
): void {
  for (const { key, given, used } of others) {
    const pointer = `${part}/${key}`;
    const sent = sentAt(payload, pointer);
    const isNumber = DEGREES.has(key) && typeof sent === 'number';
    const differing = isNumber ? { given: sent, used: used && Number(used) } : { given, used };
    warnings.push({ code: 'not_updated', pointer, ...differing });
  }
}

interface Part {
  table: Matched;
  part: { pointer: string };
  wanted: Wanted;
  among?: Among;
}

/** Nested records that a payload names and that are never created. */
export interface LookUp<R extends Pick<ClaimedRecord, 'payload'> = ClaimedRecord> {
  record: R;
  table: Matched;
  part: Named;
  among?: Among;
  /** Of the draft that names it. */
  warnings: Warning[];
}

/**
 * Finds nested records by the same rules, with a statement for each table, and creates none. @returns ids of those found, by the part that
 * names them
 */
export async function lookUpNested<R extends Pick<ClaimedRecord, 'payload'>>(
  tx: OfCompany & { matched(record: R, match: Match): void },
  all: readonly LookUp<R>[],
): Promise<Map<object, string>> {
  const ids = new Map<object, string>();
  for (const table of new Set(all.map((one) => one.table))) {
    const asked = all.filter((one) => one.table === table);
    const known = await candidates(
      tx,
      table,
      asked.map(({ part }) => asWanted(part)),
    );
    for (const { record, part, among, warnings } of asked) {
      const found = known.find(asWanted(part), among);
      if (!found) continue;
      warnOfSeveral(warnings, part.pointer, known, found, asWanted(part));
      warnOfOthers(record, warnings, part.pointer, known.others(found.id, asWanted(part)));
      ids.set(part, found.id);
      tx.matched(record, { pointer: part.pointer, model: MODELS[table], id: found.id, by: found.by });
    }
  }
  return ids;
}

/** Returns the nested records of a draft. */
function partsOf(draft: Nested): Part[] {
  const named = (table: Matched, parts: (Named | undefined)[], among?: Among) =>
    parts.flatMap((part): Part[] => (part ? [{ table, part, wanted: asWanted(part), among }] : []));
  return [
    ...named('account', [draft.customer], { kind: 'customer' }),
    ...named('account', draft.vendors, { kind: 'vendor' }),
    ...named('material', draft.materials),
    ...named('equipment_type', [draft.equipmentType]),
    ...draft.sites.map((part): Part => ({ table: 'site', part, wanted: asSite(part), among: { ids: part.open } })),
    ...[...draft.foremen, ...draft.collaborators, ...draft.salespeople].map(
      (part): Part => ({ table: 'app_user', part, wanted: asPerson(part) }),
    ),
  ];
}

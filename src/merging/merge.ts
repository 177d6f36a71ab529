import { ref } from '@mikro-orm/core';
import { compareDays, compareOpen } from '../billing/invoices/following/compare-again.ts';
import { invoicesToCompare } from '../billing/invoices/invoice-tasks.ts';
import type { Account } from '../directory/accounts/account.entity.ts';
import { Company } from '../directory/companies/company.entity.ts';
import { holdMatched } from '../directory/master-data/taken.ts';
import { forgetViewers } from '../identity/access/viewer.ts';
import { allow, find, findKept } from '../platform/authz/authorization.ts';
import { resolveReferences } from '../platform/authz/references.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context, RecordPath } from '../platform/context.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Conflict, Denied, type ErrorItem, Invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { giveBackTypes, useAgain } from './give-back.ts';
import { hangShares, keepNames } from './hang-shares.ts';
import { KINDS, type MergeKind } from './kinds.ts';
import type { MergeInput } from './merge.inputs.ts';
import { placeOf } from './merging-grants.ts';
import { changeWithStops } from './moved-stops.ts';
import {
  chainTickets,
  copyRow,
  deleteRow,
  type KeptMove,
  keepMoves,
  type Moved,
  move,
  moveBack,
  noteInFeed,
  type Pair,
  refusals,
  renameInMoves,
} from './moves.ts';
import { partDays } from './part-days.ts';
import { type MergedReferences, RecordMerge, UNDO_HOURS } from './record-merge.entity.ts';
import { unweaveStates, weaveStates } from './weave-states.ts';

const model = 'RecordMerge';
const lostRace = () => Object.assign(new Error('a record was merged meanwhile'), { code: '40001' });

/**
 * Merges records of a company into one of them. Everything that refers to the others refers to it from then on, and it answers for their ids.
 * @throws Missing, Denied, Invalid with everything that speaks against it
 */
export function mergeInto(ctx: Context, kind: MergeKind, path: RecordPath, input: MergeInput): Promise<RecordMerge> {
  return transact(ctx, (tx) => mergeWithin(tx, kind, path, input));
}

/** The same in a running transaction. @param planned of a dry run, which is rolled back */
export async function mergeWithin(
  tx: TxContext,
  kind: MergeKind,
  { id, companyId }: RecordPath,
  input: MergeInput,
  planned = false,
): Promise<RecordMerge> {
  const seen = await findKept(tx, kind.entity, id, { companyId });
  const viewer = allow(tx, kind.permission);
  // It changes work at all sites.
  if (viewer.siteIds) throw new Denied(kind.permission, 'permission_beyond_sites');
  const company = seen.company.id;
  // Before the records' own locks, as imports do, which refer to records while they hold it.
  await holdMatched(tx, company);
  const { kept, formers } = await lockAll(tx, kind, seen.id, input, company);
  const merge = Object.assign(new RecordMerge(), {
    company: ref(Company, company),
    recordType: kind.type,
    keptId: kept.id,
    formerIds: formers.map((former) => former.id),
    state: planned ? 'planned' : 'merged',
    createdAt: tx.tx.now,
  });
  const types = 'accountTypes' in kept ? kept.accountTypes : undefined;
  kind.change?.(kept, formers);
  if ('accountTypes' in kept && kept.accountTypes !== types) merge.keptChanges = { accountTypes: [types, kept.accountTypes] };
  tx.em.persist(merge);
  await tx.em.flush();
  const moved: Moved[] = [];
  for (const [i, former] of formers.entries()) moved.push(...(await mergeOne(tx, kind, merge, former.id, `otherIds.${i}`)));
  merge.moved = countsOf(moved);
  await changeWithStops(tx, idsAt(moved.map(atOf), 'waypoint.site_id'), [kept.id]);
  kept.updatedAt = tx.tx.now;
  await chainTickets(
    tx,
    moved.flatMap(({ reference, rows }) => (reference.table === 'ticket' ? rows : [])),
  );
  await priceAnew(tx, moved.map(atOf), [kept.id]);
  await forgetMoves(tx, company);
  note(tx, kind, merge, kept);
  return merge;
}

/** The record that stays and the others, locked in one order, so that two merges never wait for each other. */
async function lockAll(tx: TxContext, kind: MergeKind, id: string, input: MergeInput, companyId: string) {
  const items: ErrorItem[] = [];
  const report = (field: string, key: string) => items.push({ model, field, key });
  const found = await resolveReferences(tx, input, { others: [kind.entity, 'otherIds'] }, { model, companyId, items });
  const others = found.others ?? [];
  if (input.otherIds.length === 0) report('otherIds', 'required');
  for (const [i, other] of others.entries()) {
    if (!other) continue;
    if (other.discardedAt) report(`otherIds.${i}`, 'must_exist');
    else if (other.id === id) report(`otherIds.${i}`, 'merge_same_record');
    else if (others.findIndex((one) => one?.id === other.id) < i) report(`otherIds.${i}`, 'merge_named_twice');
  }
  if (items.length > 0) throw new Invalid(items);
  const locked = new Map<string, Awaited<ReturnType<typeof findKept<InstanceType<typeof kind.entity>>>>>();
  for (const one of [id, ...others.map((other) => other!.id)].sort()) {
    const record = await find(tx, kind.entity, one, { companyId, lock: true });
    if (record.id !== one || record.discardedAt) throw lostRace();
    locked.set(one, record);
  }
  const kept = locked.get(id)!;
  const formers = others.map((other) => locked.get(other!.id)!);
  for (const [i, former] of formers.entries()) {
    const key = kind.refusal?.(former, kept);
    if (key) report(`otherIds.${i}`, key);
  }
  if (items.length > 0) throw new Invalid(items);
  return { kept, formers };
}

async function mergeOne(tx: TxContext, kind: MergeKind, merge: RecordMerge, former: string, field: string): Promise<Moved[]> {
  const pair: Pair = { former, kept: merge.keptId, remains: newId() };
  const company = merge.company.id;
  const against = await refusals(tx, kind.type, pair);
  if (against.length > 0) throw new Invalid(against.map(({ key, of }) => ({ model, field, key, params: { of } })));
  await copyRow(tx, kind.type, former, pair.remains, true);
  if (kind.type === 'User') await weaveStates(tx, pair);
  await keepNames(tx, kind.type, former);
  const moved = await move(tx, kind.type, pair);
  await hangShares(tx, [pair.kept]);
  await deleteRow(tx, kind.type, former);
  await renameInMoves(tx, kind.type, company, former, pair.remains);
  await queryIn(
    tx.em,
    `insert into merged_record (former_id, company_id, record_type, kept_id, remains_id, record_merge_id) values ($1, $2, $3, $4, $5, $6)`,
    [former, company, kind.type, pair.kept, pair.remains, merge.id],
  );
  await keepMoves(tx, merge.id, company, former, moved);
  await noteInFeed(tx, company, [former], [pair.remains]);
  tx.tx.audits.push({
    event: 'update',
    type: kind.type,
    id: former,
    companyId: company,
    changes: { merged_into_id: [null, pair.kept] },
  });
  return moved;
}

/** Undoes a merge: the former records are there again, with all that referred to them and was not changed since. @throws Missing, Denied, Conflict */
export function undoMerge(ctx: Context, path: RecordPath): Promise<RecordMerge> {
  return transact(ctx, async (tx) => {
    const merge = await find(tx, RecordMerge, path.id, { companyId: path.companyId, lock: true });
    const kind = KINDS[merge.recordType];
    const viewer = allow(tx, kind.permission);
    if (viewer.siteIds) throw new Denied(kind.permission, 'permission_beyond_sites');
    const refuse = (key: string) => new Conflict([{ model, field: 'state', key, state: merge.state, event: 'undo' }]);
    if (merge.state !== 'merged') throw refuse('merge_is_undone');
    if (tx.tx.now.getTime() - merge.createdAt.getTime() > UNDO_HOURS * 3_600_000) throw refuse('merge_too_old');
    const company = merge.company.id;
    await holdMatched(tx, company);
    const rows = await queryIn<{ former_id: string; kept_id: string; remains_id: string }>(
      tx.em,
      'select former_id, kept_id, remains_id from merged_record where record_merge_id = $1 order by former_id for update',
      [merge.id],
    );
    // Rows that were moved here were moved on with the record that stayed.
    if (rows.some((row) => row.kept_id !== merge.keptId)) throw refuse('merge_merged_since');
    const kept = await find(tx, kind.entity, merge.keptId, { companyId: company, lock: true });
    // Invoices that were settled together since are one bill, of one customer or payee.
    if (await isSettledSince(tx, merge.id)) throw refuse('merge_settled_since');
    if (kept.id !== merge.keptId) throw lostRace();
    const back: KeptMove[] = [];
    for (const { former_id: former, kept_id, remains_id: remains } of rows) {
      const pair: Pair = { former, kept: kept_id, remains };
      await copyRow(tx, kind.type, remains, former, false);
      await renameInMoves(tx, kind.type, company, remains, former);
      back.push(...(await moveBack(tx, kind.type, merge.id, pair)));
      if (kind.type === 'User') await unweaveStates(tx, pair);
      await deleteRow(tx, kind.type, remains);
      await queryIn(tx.em, 'delete from merged_record where former_id = $1', [former]);
      await noteInFeed(tx, company, [], [remains]);
      tx.tx.audits.push({ event: 'update', type: kind.type, id: former, companyId: company, changes: { merged_into_id: [kept_id, null] } });
    }
    await changeWithStops(tx, idsAt(back, 'waypoint.site_id'), merge.formerIds);
    await chainTickets(
      tx,
      back.flatMap(({ place, row_ids }) => (place.startsWith('ticket.') ? row_ids : [])),
    );
    const parted = await partDays(tx, idsAt(back, 'driver_day.driver_id'), merge.keptId, merge.createdAt);
    if (!parted) throw refuse('merge_day_decided_since');
    await compareDays(tx, parted.days);
    invoicesToCompare.note(tx, parted.jobs);
    const again = await useAgain(tx, kind.type, merge);
    await hangShares(tx, [merge.keptId, ...merge.formerIds]);
    await priceAnew(tx, [...back, ...again.map(atOf)], [kept.id, ...merge.formerIds]);
    if (kind.type === 'Account') await giveBackTypes(tx, kept as unknown as Account, merge);
    await queryIn(tx.em, 'delete from merge_move where record_merge_id = $1', [merge.id]);
    merge.state = 'undone';
    merge.undoneAt = tx.tx.now;
    kept.updatedAt = tx.tx.now;
    emitEvent(tx, `${kind.event}.unmerged`, kept, { former_ids: merge.formerIds });
    afterCommit(tx, () => forgetViewers(tx.em));
    return merge;
  });
}

/** The columns that say who is billed by an invoice: those that are settled together have the same. */
const PARTIES = ['customer_account_id', 'vendor_account_id', 'payee_driver_id'].map((column) => `invoice.${column}`);

/** Whether an invoice that got another customer or payee by a merge is in a settlement that did not. */
async function isSettledSince(tx: TxContext, mergeId: string): Promise<boolean> {
  const moved = (places: string): string =>
    `(select r.id from merge_move m cross join lateral unnest(m.row_ids) r (id) where m.record_merge_id = $1 and m.place ${places})`;
  const rows = await queryIn(
    tx.em,
    `select from settlement_invoice si join settlement s on s.id = si.settlement_id
     where si.invoice_id in ${moved('= any($2::text[])')} and s.state <> 'voided' and s.id not in ${moved("like 'settlement.%'")} limit 1`,
    [mergeId, PARTIES],
  );
  return rows.length > 0;
}

const KIND_NAMES: Record<string, string> = { orders: 'order', app_user: 'user' };

/** The number of rows that were moved and put aside, by kind. */
function countsOf(all: readonly Moved[]): MergedReferences[] {
  const byKind = Map.groupBy(
    all.filter(({ reference }) => reference.table !== 'merged_record'),
    ({ reference: { table } }) => KIND_NAMES[table] ?? table,
  );
  return [...byKind]
    .map(([records, moved]) => ({
      records,
      moved: new Set(moved.flatMap(({ rows }) => rows)).size,
      putAside: moved.reduce((sum, one) => sum + one.putAside, 0),
    }))
    .sort((a, b) => (a.records < b.records ? -1 : 1));
}

type At = Pick<KeptMove, 'place' | 'row_ids'>;
const atOf = ({ reference, rows }: Moved): At => ({ place: placeOf(reference), row_ids: rows });
const idsAt = (moved: readonly At[], place: string): string[] => [
  ...new Set(moved.flatMap((one) => (one.place.startsWith(place) ? one.row_ids : []))),
];

/**
 * Has open invoices compared with the terms of the record that they name now. What is approved is closed, and stays as it is.
 * @param accounts whose profile may be another one
 */
async function priceAnew(tx: TxContext, moved: readonly At[], accounts: readonly string[]): Promise<void> {
  const isBilledAnew = moved.some(({ place }) => place.startsWith('billing_profile.'));
  await compareOpen(tx, { invoiceIds: idsAt(moved, 'invoice.'), accountIds: isBilledAnew ? accounts : [] });
  await compareDays(tx, idsAt(moved, 'driver_day.driver_id'));
}

/** Deletes what was kept for undoing merges that nobody can undo any more. */
async function forgetMoves(tx: TxContext, companyId: string): Promise<void> {
  await queryIn(tx.em, `delete from merge_move where company_id = $1 and created_at < now() - interval '${UNDO_HOURS} hours'`, [companyId]);
}

function note(tx: TxContext, kind: MergeKind, { formerIds }: RecordMerge, kept: { id: string; company: { id: string } }): void {
  emitEvent(tx, `${kind.event}.merged`, kept, { former_ids: formerIds });
  tx.tx.audits.push({
    event: 'update',
    type: kind.type,
    id: kept.id,
    companyId: kept.company.id,
    changes: { merged_ids: [null, formerIds] },
  });
  afterCommit(tx, () => forgetViewers(tx.em));
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { poolOf } from '../platform/database/sql.ts';
import type { Logger } from '../platform/log.ts';
import { forgetArchived } from '../platform/read/past/archived.ts';
import { archiveSettings } from '../platform/storage/archive-settings.ts';
import { incomingFolder } from '../platform/storage/incoming.ts';
import { fileStorage } from '../platform/storage/storage.ts';
import { archivedRows, failedArchives, removedRows } from './archive-metrics.ts';
import { ARCHIVED, type ArchivedTable } from './archived-tables.ts';
import { endArchives } from './end-archives.ts';
import { dropAllStale, dropStale, dropStrays, forgetInFiles, ofMine } from './forget-in-files.ts';
import { comparePartition, dropPartition, isCompared, type Partition, partitionsOf } from './partitions.ts';
import { dropFile, verifyFile, writeLines, writeManifest } from './piece-file.ts';
import { LeaseLost, type Piece, Pieces } from './pieces.ts';
import { monthOf, nextMonth, removeRows, rowsOf } from './rows.ts';
import { type Ask, isMarkedStorage, OtherStorage } from './storage-mark.ts';

/** From when on a company keeps the rows of a table. */
interface Rule {
  companyId: string | null;
  /** Rows of before this time (in milliseconds) leave; null if they stay for ever. */
  before: number | null;
  /** Whether they go into files before they leave. */
  archives: boolean;
}

interface Work {
  em: EntityManager;
  pieces: Pieces;
  spec: ArchivedTable;
  /** The rules of this moment: companies change them while others' files are written, which may take hours. */
  rulesNow: () => Promise<Rule[]>;
  log: Pick<Logger, 'info'>;
  report: (error: unknown) => void;
}

/** Milliseconds for which rows may wait for their partition, so that they leave with it instead of one by one: the months of a year for its last one. */
const WAIT = { month: 0, year: 366 * 86_400_000 };

/**
 * Writes the rows that are older than their rule into files, reads these back, and removes the rows: with their partition if every company's rule lets
 * it go, else one by one. A process that dies leaves files without rows that have left, and never the reverse. Files go when their own time is over.
 * @param report gets what failed, which the next round tries again
 */
export async function archiveOld(em: EntityManager, log: Pick<Logger, 'info'>, report: (error: unknown) => void): Promise<void> {
  const settings = archiveSettings.of(em);
  if (!settings.on) return;
  const pieces = new Pieces(em);
  const failedToForget = reporter('location_history', report);
  try {
    // A file that is written elsewhere could be read back by this process, and by nobody else when its rows have left.
    const ask: Ask = (statement, values) => pieces.ask(statement, values);
    if (!(await isMarkedStorage(ask, fileStorage.of(em), incomingFolder.of(em)))) throw new OtherStorage();
  } catch (error) {
    failedArchives.inc({ table: 'storage_mark' });
    return report(error);
  }
  // Before files end: one that cannot be written anew has such a rest again after each round, and its time is over all the same.
  await dropAllStale(em, pieces, failedToForget).catch(failedToForget);
  for (const spec of ARCHIVED) {
    const failed = reporter(spec.table, report);
    // Before files are written anew without whoever was forgotten.
    await endArchives({ em, pieces, log, report: failed }, spec).catch(failed);
  }
  try {
    await dropStrays(em, pieces, failedToForget);
    await forgetInFiles(em, pieces, failedToForget);
  } catch (error) {
    failedToForget(error);
  }
  for (const spec of ARCHIVED) {
    const failed = reporter(spec.table, report);
    try {
      const rulesNow = () => pieces.ask<Rule>(RULES(spec.rules(settings)));
      const work = { em, pieces, spec, rulesNow, log, report: failed };
      // Where rows are read in an order that is nearly that of time, the next month is found when those before it have left.
      for (let written = 1; written > 0; ) {
        written = 0;
        for (const rule of await rulesNow())
          try {
            if (rule.before && rule.archives) written += await writeDue(work, { ...rule, before: rule.before });
          } catch (error) {
            failed(error);
          }
        await removeDue(work);
        if (!spec.nearlyByTime) break;
      }
    } catch (error) {
      failed(error);
    }
  }
}

/** Counts and reports what failed with a table. */
const reporter = (table: string, report: (error: unknown) => void) => (error: unknown) => {
  // Another process goes on with it.
  if (error instanceof LeaseLost) return;
  failedArchives.inc({ table });
  report(error);
};

/** Connections have times as text in different forms. */
const RULES = (rules: string): string =>
  `select r."companyId", (extract(epoch from r.before) * 1000)::float8 as before, r.archives from (${rules}) r`;

/** Writes the months of a company that are due; only the first of them where the others are found when its rows have left. @returns how many rows */
async function writeDue(work: Work, { companyId, before }: Rule & { before: number }): Promise<number> {
  const { em, pieces, spec, log } = work;
  const end = monthOf(new Date(before).toISOString()).from;
  let written = 0;
  for (let from = '-infinity'; ; ) {
    const month = await nextMonth(pieces, spec, companyId, from, end);
    if (month === undefined) return written;
    const period = `${month}-01`;
    from = monthOf(period).to;
    const piece = await pieces.claim(companyId, spec.table, period);
    if (!piece) continue;
    if (piece.staleKey) await dropStale(em, pieces, piece);
    const rows = await ofMine(em, piece, () => writePiece(work, piece));
    written += rows;
    if (rows > 0) log.info({ table: spec.table, companyId, period, rows, key: piece.key }, 'archived');
    if (spec.nearlyByTime && rows > 0) return written;
  }
}

async function writePiece({ em, pieces, spec }: Work, piece: Piece): Promise<number> {
  const renew = pieces.renewal(piece);
  const written = await writeLines(em, piece.key, rowsOf(pieces, spec, piece, renew));
  if (written.rows === 0) {
    // They have left or are worked on again since they were found.
    await dropFile(em, piece.key);
    await pieces.forget(piece);
    return 0;
  }
  await writeManifest(em, piece, written, await columnsOf(em, spec.table));
  await verifyFile(fileStorage.of(em), { ...piece, ...written }, renew);
  await pieces.verify(piece, written);
  archivedRows.inc({ table: spec.table }, written.rows);
  return written.rows;
}

const COLUMNS = `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`;

async function columnsOf(em: EntityManager, table: string): Promise<{ name: string; type: string }[]> {
  return (await (await poolOf(em)).query<{ name: string; type: string }>(COLUMNS, [table])).rows;
}

/** Removes the rows of files that are safe. */
async function removeDue(work: Work): Promise<void> {
  const { em, pieces, spec, rulesNow, log, report } = work;
  const rules = await rulesNow();
  const partitions = spec.partitions ? await partitionsOf(em, spec.table) : [];
  const waiting: Partition[] = [];
  for (const partition of partitions) {
    const due = dueOf(partition, rules);
    if (due === undefined) continue;
    if (due > Date.now()) {
      if (due - Date.now() < WAIT[spec.partitions!]) waiting.push(partition);
      continue;
    }
    try {
      // They may have waited for a year. If only somebody was in the way of the last round, both are known to be the same.
      if (!(await isCompared(em, spec.table, partition)))
        for (const piece of await pieces.verified(spec.table))
          if (isWithin(piece, partition)) await verifyFile(fileStorage.of(em), piece, async () => {});
      // Meanwhile somebody may want it longer, or want it archived.
      const mayGo = async () => (dueOf(partition, await rulesNow()) ?? Number.POSITIVE_INFINITY) <= Date.now();
      if (!(await mayGo())) continue;
      const isSame = await comparePartition(em, spec.table, partition);
      if (isSame === null) {
        // Another process does it.
        waiting.push(partition);
        continue;
      }
      // To compare takes long, too.
      if (isSame && (await mayGo()) && (await dropPartition(em, spec.table, partition))) {
        removedRows.inc({ table: spec.table, how: 'partition' });
        forgetArchived(em);
        log.info({ table: spec.table, partition: partition.name }, 'dropped, because every row is archived');
      }
    } catch (error) {
      // Somebody holds it, or a file is not what it was: the rows stay.
      waiting.push(partition);
      report(error);
    }
  }
  const before = new Map((await rulesNow()).map((rule) => [rule.companyId, rule.before]));
  for (const piece of await pieces.verified(spec.table)) {
    const rule = before.get(piece.companyId);
    // A company may have decided meanwhile to keep them longer.
    if (!rule || Date.parse(monthOf(piece.period).to) > rule) continue;
    if (waiting.some((partition) => isWithin(piece, partition))) continue;
    const mine = await pieces.take(piece);
    if (!mine) continue;
    try {
      const rows = await removeRows(em, pieces, spec, mine);
      removedRows.inc({ table: spec.table, how: 'rows' }, rows);
      forgetArchived(em);
      log.info({ table: spec.table, companyId: piece.companyId, period: piece.period, rows, of: piece.rows }, 'removed what is archived');
    } catch (error) {
      await pieces.leave(mine);
      report(error);
    }
  }
}

function isWithin({ period }: Piece, partition: Partition): boolean {
  const { from, to } = monthOf(period);
  return partition.from <= from && to <= partition.to;
}

/** When the last company lets a partition go, in milliseconds; undefined if one keeps it for ever. */
function dueOf(partition: Partition, rules: readonly Rule[]): number | undefined {
  let due = 0;
  for (const { before } of rules) {
    if (!before) return undefined;
    due = Math.max(due, Date.parse(partition.to) + (Date.now() - before));
  }
  return due;
}

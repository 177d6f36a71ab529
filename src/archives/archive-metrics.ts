import { Counter } from 'prom-client';
import { metrics } from '../platform/http/health.ts';

const registers = [metrics];

/** Rows that this process has written into files. */
export const archivedRows = new Counter({
  name: 'haulgate_archived_rows_total',
  help: 'Rows that this process wrote into archives, by table.',
  labelNames: ['table'],
  registers,
});

/** Counts rows that have left the database after that. */
export const removedRows = new Counter({
  name: 'haulgate_archive_removed_total',
  help: 'Archived rows that this process removed one by one, and partitions that it dropped, by table.',
  labelNames: ['table', 'how'],
  registers,
});

/** Files whose time was over. */
export const deletedArchives = new Counter({
  name: 'haulgate_archive_deleted_total',
  help: 'Archives that this process deleted because their time was over, by table.',
  labelNames: ['table'],
  registers,
});

/** Archives that could not be written, read back, removed or deleted; the next round tries again. */
export const failedArchives = new Counter({
  name: 'haulgate_archive_failures_total',
  help: 'Archives that this process could not write, verify, remove or delete, by table.',
  labelNames: ['table'],
  registers,
});

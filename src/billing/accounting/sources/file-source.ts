import type { AccountingSource } from './accounting-source.ts';
import { recordsOf } from './source-records.ts';

/** A system that exchanges files: its lists were given when it was set up, and nothing is called. */
export const fileSource: AccountingSource = {
  async read({ lists }, kind) {
    return { records: recordsOf(kind, (lists as Record<string, unknown> | null)?.[kind]), next: null };
  },
};

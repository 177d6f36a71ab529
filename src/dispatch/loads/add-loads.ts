import { changesOfNew } from '../../platform/commands/audit.ts';
import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertLoads } from '../jobs/add-trucks.ts';

/** A load that a locked job gets, one place after its last. */
export interface NewLoad {
  id: string;
  jobId: string;
  ordinality: number;
  /** In the name of the person or client that asked for it. */
  records: Records;
}

// What they took from their jobs, the database alone knows.
const MADE = ` returning id, to_jsonb(load) - '{id,created_at,updated_at,version}'::text[] as columns`;
type Made = { id: string; columns: object };

/** Adds loads to jobs on the jobs' terms, in one statement for any number of them, with their outbox and audit rows. */
export async function addLoads(tx: SetTx, companyId: string, loads: readonly NewLoad[]): Promise<void> {
  if (loads.length === 0) return;
  const made = await insertLoads((sql, values) => tx.query<Made>(sql, values), loads, tx.now, MADE);
  const columnsOf = new Map(made?.map(({ id, columns }) => [id, columns]));
  for (const { id, records } of loads) {
    const at = { type: 'Load', id, companyId };
    records.events.push({ name: 'load.created', ...at });
    records.audits.push({ event: 'create', ...at, changes: changesOfNew(columnsOf.get(id)!) });
  }
}

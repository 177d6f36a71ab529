import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertWork, type NewWork } from '../fields/insert-work.ts';
import { importedDefaultsOf, PROJECT_FIELDS } from '../fields/work-fields.ts';
import { writeColumns } from '../fields/write-columns.ts';
import type { InNameOf } from '../jobs/job-effects.ts';

/** Columns of an imported project for which its payload has no value. */
export const IMPORTED_DEFAULTS: Readonly<Record<string, unknown>> = { state: 'active', ...importedDefaultsOf(PROJECT_FIELDS) };

/** Returns the friendly number of a project. */
export const projectIdOf = (number: number): string => `P-${number}`;

/** Creates projects of a company with their contacts, stops and phases, in at most four statements: one for createProject, a batch for imports. */
export const createProjects = (tx: SetTx, companyId: string, projects: readonly NewWork[]): Promise<void> =>
  insertWork(tx, 'project', companyId, projects);

/** The changes of a locked project. */
export interface ProjectUpdate {
  id: string;
  by: InNameOf;
  /** Columns to set. */
  set: Readonly<Record<string, unknown>>;
  /** For the audit, with `waypoints` and other parts; empty if nothing changes. */
  changes: AuditRecord['changes'];
}

/** Changes projects of a company, in one statement; their parts are already written (write-parts.ts). */
export async function updateProjects(tx: SetTx, companyId: string, updates: readonly ProjectUpdate[]): Promise<void> {
  await writeColumns(tx, 'project', updates);
  for (const { id, by, changes } of updates) {
    if (Object.keys(changes).length === 0) continue;
    by.records.audits.push({ event: 'update', type: 'Project', id, companyId, changes });
    by.records.events.push({ name: 'project.updated', type: 'Project', id, companyId });
  }
}

import { setOfNew } from '../../platform/commands/audit.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { importedDefaultsOf, PROJECT_FIELDS } from '../fields/work-fields.ts';
import { writeColumns } from '../fields/write-columns.ts';
import { type ContactKind, type ContactRow, contactColumnsOf, recordContact, writeContacts } from '../fields/write-parts.ts';
import type { InNameOf } from '../jobs/job-effects.ts';

/** A project that is to be created: it is checked, and its references are resolved. */
export interface NewProject {
  id: string;
  by: InNameOf;
  externalId: string;
  routeId: string;
  /** By column: the values that were sent, ids of what it refers to, and its people. */
  columns: Readonly<Record<string, unknown>>;
  contacts: Partial<Record<ContactKind, ContactRow>>;
}

/** The default values of a new project, by column. */
const DEFAULTS: Record<string, unknown> = { state: 'active', ...importedDefaultsOf(PROJECT_FIELDS), version: 1 };

/** Returns the friendly number of a project. */
export const projectIdOf = (number: number): string => `P-${number}`;

/**
 * Creates projects of a company with their contacts, in two statements; stops, phases and materials are written separately
 * (write-parts.ts).
 * @param firstNumber of the running numbers that were reserved for them
 */
export async function createProjects(tx: SetTx, companyId: string, projects: readonly NewProject[], firstNumber: number): Promise<void> {
  if (projects.length === 0) return;
  for (const { by, contacts } of projects) for (const contact of Object.values(contacts)) recordContact(by.records, companyId, contact);
  await writeContacts(tx, companyId, { added: projects.flatMap(({ contacts }) => Object.values(contacts)), changed: [] });
  const set = projects.map(({ columns, contacts }) => ({ ...columns, ...contactColumnsOf(contacts) }));
  const none = Object.fromEntries(set.flatMap((columns) => Object.keys(columns)).map((column) => [column, null]));
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: companyId };
  const rows = projects.map(({ id, externalId, routeId }, at) => ({
    ...none,
    ...DEFAULTS,
    ...set[at],
    ...stamps,
    id,
    number: firstNumber + at,
    project_id: projectIdOf(firstNumber + at),
    external_id: externalId,
    route_id: routeId,
  }));
  await insertRows(tx.em, 'project', rows);
  for (const [at, { id, by, externalId }] of projects.entries()) {
    const of = { type: 'Project', id, companyId };
    by.records.events.push({ name: 'project.created', ...of });
    by.records.audits.push({ event: 'create', ...of, changes: setOfNew({ external_id: externalId, ...set[at] }) });
  }
}

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

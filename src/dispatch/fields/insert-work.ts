import type { AuditRecord, Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertRows } from '../../platform/database/sql.ts';
import type { NewParts } from './new-parts.ts';
import { recordContact, writeContacts, writePhases, writeStops } from './write-parts.ts';

/** A new order or project, which was checked and numbered, and whose references were found. */
export interface NewWork extends NewParts {
  id: string;
  /** Collects the outbox and audit rows in the name of its author. */
  records: Records;
  /** Values by column. A column that is absent here and present in another record of the batch is null. */
  columns: Readonly<Record<string, unknown>>;
  /** The changes of its audit entry. */
  changes: AuditRecord['changes'];
  /** The payload of the event `order.created` or `project.created`. */
  payload?: Record<string, unknown>;
}

const KINDS = { orders: { type: 'Order', part: 'order_id' }, project: { type: 'Project', part: 'project_id' } } as const;

/**
 * Inserts new orders or projects of a company with their contacts, stops and phases, and collects their outbox and audit rows. It takes at
 * most four statements for any number of records. A person's record is a batch of one.
 */
export async function insertWork(tx: SetTx, table: keyof typeof KINDS, companyId: string, made: readonly NewWork[]): Promise<void> {
  if (made.length === 0) return;
  const { type, part } = KINDS[table];
  const none = Object.fromEntries(made.flatMap(({ columns }) => Object.keys(columns)).map((column) => [column, null]));
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: companyId, version: 1 };
  const rows = made.map(({ id, columns }) => ({ ...none, ...columns, ...stamps, id }));
  for (const { id, records, contacts, changes, payload } of made) {
    for (const contact of contacts) recordContact(records, companyId, contact);
    const of = { type, id, companyId };
    records.events.push({ name: `${type.toLowerCase()}.created`, ...of, payload });
    records.audits.push({ event: 'create', ...of, changes });
  }
  const phases = made.flatMap(({ id, phases: own }) => own.map((phase) => ({ ...phase, [part]: id })));
  await writeContacts(tx, companyId, { added: made.flatMap(({ contacts }) => contacts), changed: [] });
  await insertRows(tx.em, table, rows);
  await writeStops(tx, companyId, { added: made.flatMap(({ stops }) => stops), changed: [] });
  await writePhases(tx, companyId, part, { added: phases, changed: [] });
}

import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import type { Query } from '../../platform/database/sql.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { FOLLOWING } from '../model/job.machine.ts';

/** A row that belongs to an order or a project, such as a contact or a stop. Fields are named like the columns. */
interface Part {
  id: string;
}
/** Parts of many records that are added, changed and removed, each in at most one statement. */
export interface PartChanges<T extends Part> {
  added: T[];
  changed: Part[];
  gone?: string[];
}

export interface ContactValues {
  name: string | null;
  email: string | null;
  phone: string | null;
}
export type ContactKind = 'sales' | 'foreman' | 'supervisor' | 'collaborator';
export type ContactRow = Part & ContactValues;

/** Returns the columns of the contacts that a record has, with their ids. */
export const contactColumnsOf = (contacts: Partial<Record<ContactKind, ContactRow>>): Record<string, string> =>
  Object.fromEntries(Object.entries(contacts).map(([kind, { id }]) => [`${kind}_contact_id`, id]));

/** Adds the audit row of a new contact. */
export function recordContact({ audits }: Records, companyId: string, { id, name, email, phone }: ContactRow): void {
  const made = Object.entries({ company_id: companyId, name, email, phone }).filter(([, value]) => value !== null);
  audits.push({
    event: 'create',
    type: 'Contact',
    id,
    companyId,
    changes: Object.fromEntries(made.map(([column, to]) => [column, [null, to]])),
  });
}

/** Writes contacts that were added and changed, two statements for any number. */
export async function writeContacts(tx: SetTx, companyId: string, { added, changed }: PartChanges<ContactRow>): Promise<void> {
  if (changed.length > 0)
    await tx.query(
      `update contact c set name = r.name, email = r.email, phone = r.phone, updated_at = $2
       from jsonb_to_recordset($1::jsonb) r(id uuid, name text, email text, phone text) where c.id = r.id`,
      [JSON.stringify(changed), tx.now],
    );
  await insertParts(tx, 'contact', companyId, added);
}

export type StopRow = Part & { route_id: string; type: string; ordinality: number; site_id: string; contact_id: string | null };

/** @param changes those that are changed go to another site */
export async function writeStops(tx: SetTx, companyId: string, { added, changed }: PartChanges<StopRow>): Promise<void> {
  if (changed.length > 0)
    await tx.query(
      'update waypoint w set site_id = r.site_id, updated_at = $2 from jsonb_to_recordset($1::jsonb) r(id uuid, site_id uuid) where w.id = r.id',
      [JSON.stringify(changed), tx.now],
    );
  await insertParts(tx, 'waypoint', companyId, added);
}

/** Writes the stops and contacts of a new route of a known record. */
export async function writeRoute(
  tx: SetTx,
  companyId: string,
  records: Records,
  { stops, contacts }: { stops: StopRow[]; contacts: ContactRow[] },
): Promise<void> {
  for (const contact of contacts) recordContact(records, companyId, contact);
  await writeContacts(tx, companyId, { added: contacts, changed: [] });
  await writeStops(tx, companyId, { added: stops, changed: [] });
}

export interface PhaseValues {
  name: string;
  code: string | null;
  primary: boolean;
}
export type PhaseRow = Part & PhaseValues;

/** Writes phases. A removed phase on which past work is booked is kept for that work, but no longer belongs to the order. */
export async function writePhases(
  tx: SetTx,
  companyId: string,
  owner: 'order_id' | 'project_id',
  { added, changed, gone = [] }: PartChanges<PhaseRow>,
): Promise<void> {
  if (gone.length > 0) {
    // Jobs and loads are booked on phases of their order, never on those of a project.
    const booked = owner === 'order_id' ? await unbook(tx.query, gone, tx.now) : [];
    if (booked.length > 0)
      await tx.query('update phase set order_id = null, "primary" = false, updated_at = $2 where id = any($1::uuid[])', [booked, tx.now]);
    await tx.query('delete from phase where id = any($1::uuid[])', [gone.filter((id) => !booked.includes(id))]);
  }
  if (changed.length > 0)
    await tx.query(
      `update phase p set name = r.name, code = r.code, "primary" = r."primary", updated_at = $2
       from jsonb_to_recordset($1::jsonb) r(id uuid, name text, code text, "primary" boolean) where p.id = r.id`,
      [JSON.stringify(changed), tx.now],
    );
  await insertParts(tx, 'phase', companyId, added);
}

/**
 * Removes the phase of work that has not left, if it is one of those to be removed. Work that has begun keeps it.
 * @returns ids of those on which something is still booked
 */
export async function unbook(query: Query, ids: readonly string[], now: Date): Promise<string[]> {
  await query(
    'update load t set phase_id = null, updated_at = $3, version = t.version + 1 from job j where t.phase_id = any($1::uuid[]) and j.id = t.job_id and j.state = any($2::text[])',
    [ids, FOLLOWING, now],
  );
  await query(
    'update job set phase_id = null, updated_at = $3, version = version + 1 where phase_id = any($1::uuid[]) and state = any($2::text[])',
    [ids, FOLLOWING, now],
  );
  const booked = await query<{ id: string }>(
    `select p.id from unnest($1::uuid[]) p(id) where exists (select 1 from job j where j.phase_id = p.id) or exists (select 1 from load l where l.phase_id = p.id)`,
    [ids],
  );
  return booked.map(({ id }) => id);
}

export type MaterialRow = Part & { project_id: string; material_id: string; total_quantity: string | null; unit_of_measure: string | null };

/** Writes the quantity of each material of projects. */
export async function writeMaterials(tx: SetTx, companyId: string, { added, changed, gone = [] }: PartChanges<MaterialRow>): Promise<void> {
  if (gone.length > 0) await tx.query('delete from project_material where id = any($1::uuid[])', [gone]);
  if (changed.length > 0)
    await tx.query(
      `update project_material m set total_quantity = r.total_quantity, unit_of_measure = r.unit_of_measure, updated_at = $2
       from jsonb_to_recordset($1::jsonb) r(id uuid, total_quantity numeric, unit_of_measure text) where m.id = r.id`,
      [JSON.stringify(changed), tx.now],
    );
  await insertParts(tx, 'project_material', companyId, added);
}

function insertParts({ em, now }: SetTx, table: string, companyId: string, parts: readonly Part[]): Promise<void> {
  const at = now.toISOString();
  const rows = parts.map((part) => ({ ...part, company_id: companyId, created_at: at, updated_at: at }));
  return insertRows(em, table, rows);
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { SYSTEM, writeRecords } from '../../platform/commands/records.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { lastError } from '../payload/last-error.ts';
import type { Claim } from './claim.ts';
import { leased } from './ledger-purpose.ts';
import { outcomesOf } from './note-imports.ts';
import { failureEvent, type Settled } from './settle.ts';

/**
 * Renews the leases of rows that this process still works on. It skips locked rows: their effect is just committing, or a sweeper has
 * released them.
 */
export async function renewLeases(pool: Pool, rows: Claim['rows'], leaseSeconds: number): Promise<void> {
  await pool.query({
    text: `update import_task set lease_until = now() + $3 * interval '1 second' where id = any (array(
      select t.id from unnest($1::uuid[], $2::int[]) held(id, attempts), lateral (
        select w.id from import_task w where w.id = held.id and w.attempts = held.attempts and ${leased('w')}
        for no key update skip locked) t))`,
    values: [rows.map((r) => r.id), rows.map((r) => r.attempt), leaseSeconds],
  });
}

const EXPIRED = 'select id from import_task where lease_until < now() order by lease_until limit 1000 for update skip locked';
const HELD = `select t.id from json_to_recordset($2::json) as held(id uuid, attempt integer), lateral (
  select w.id from import_task w where w.id = held.id and w.attempts = held.attempt and ${leased('w')} for update skip locked) t`;

/** Returns whether there is any row whose lease has ended: one statement, where taking none back is a transaction. */
export async function anyExpired(em: EntityManager): Promise<boolean> {
  const pool = await poolOf(em);
  const { rows } = await pool.query<{ expired: boolean }>('select exists (select from import_task where lease_until < now()) as expired');
  return rows[0]!.expired;
}

/**
 * Takes back rows whose lease ended, because their process died, hung or lost the database. The attempt counts, and so does the lost claim:
 * after `lostClaims` of them a row is parked as `exhausted`. A row whose effect is still running is locked by it and skipped. The
 * database's clock counts.
 * @returns how many rows are open again, and how many were parked
 */
export function takeBackExpired(em: EntityManager, lostClaims: number): Promise<TakenBack> {
  return takeBack(em, EXPIRED, [lostClaims, '']);
}

/** The same for rows that this process knows it cannot finish. */
export function takeBackHeld(em: EntityManager, lostClaims: number, rows: Claim['rows']): Promise<TakenBack> {
  return takeBack(em, HELD, [lostClaims, JSON.stringify(rows)]);
}

export interface TakenBack {
  open: number;
  parked: number;
}

async function takeBack(parent: EntityManager, which: string, parameters: unknown[]): Promise<TakenBack> {
  return parent.fork({ clear: true }).transactional(async (em) => {
    const message = lastError('en', {
      code: 'worker_lost',
      pointer: '',
      key: 'import_worker_lost',
      params: { count: Number(parameters[0]) },
    });
    const [result] = await queryIn<{ open: number; parked: (Settled & { attempts: number; before: string })[] }>(
      em,
      `with gone as (${which}),
      open as (
        update import_task set lease_until = null, lost_claims = lost_claims + 1, next_attempt_at = now()
        where id = any (array(select id from gone)) and lost_claims + 1 < $1::integer returning id),
      parked as (
        delete from import_task where id = any (array(select id from gone)) and lost_claims + 1 >= $1::integer returning id, company_id, kind, attempts),
      exhausted as (
        update imported_record r set state = 'exhausted', attempts = parked.attempts, last_error = $3, processed_at = now(), next_attempt_at = null,
          updated_at = clock_timestamp()
        from parked where r.id = parked.id)
      select (select count(*)::integer from open) as open,
        (select coalesce(json_agg(json_build_object('id', id, 'companyId', company_id, 'kind', kind, 'attempts', attempts,
          -- As it was before this statement.
          'before', (select r.state from imported_record r where r.id = parked.id))), '[]') from parked) as parked,
        $2::text is null as unused`,
      [...parameters, message],
    );
    const parked = result?.parked ?? [];
    const events = parked.map((row) => failureEvent(row, 'exhausted', message));
    const now = new Date();
    const ended = parked.map((row) => ({ ...row, state: 'exhausted' }));
    await noteHappened({ em, now, query: (sql, values) => queryIn(em, sql, values) }, outcomesOf(ended));
    await writeRecords(em, { events, audits: [], transitions: [] }, { actor: SYSTEM, requestId: newId(), now });
    return { open: result?.open ?? 0, parked: parked.length };
  });
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { NO_MIGRATION_WAITS } from '../../platform/database/migrating/when-free.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ImportKind } from '../importer.ts';
import { type Ended, outcomesOf } from './note-imports.ts';
import { faultOf } from './retries.ts';

/** Rows of one company and kind on which this process has a lease. */
export interface Claim {
  companyId: string;
  kind: ImportKind;
  /** `attempt` is the fencing token: an effect is only written while the row still has it. */
  rows: { id: string; attempt: number }[];
  /** The number of times that a process was lost while it worked on them. */
  lost: number;
  /** More rows may be due, of this company and kind or of others. */
  more: boolean;
}

/** Where the last claim stopped. The next one continues after it and then from the start, so that every company gets its turn. */
export interface Turn {
  companyId: string;
  kind: string;
}
export const FIRST_TURN: Turn = { companyId: '00000000-0000-0000-0000-000000000000', kind: '' };

/** The condition that an attempt of the row's present series ended without the loss of its process. It holds for rows that no worker holds. */
const failed = (task: string) => `(${task}.attempts > ${task}.tries_from + ${task}.lost_claims)`;

/**
 * One statement, which never waits for a lock.
 *
 * The statement must be fast although the table may have been empty when its statistics were taken, and holds hundreds of thousands of rows
 * now. A plan for one row reads the whole index for each row of the other side of a join; one such plan took minutes to claim 600 of 2,000
 * rows. So rows are looked up by laterals, and written by their ctid from when they were locked. A row that was moved just before is
 * skipped and left to the next claim.
 *
 * - `lane`: the open (company, kind) pairs, first those after the last turn, then those from the start. They are found by jumping along the
 *   index, so that a company with 200,000 open rows costs as much as one with a single row. The first entry of a lane is its earliest, so it
 *   shows whether any is due. Only as many lanes as wanted are read. None is due while a migration waits for tables that imports use.
 * - `ready`: for each lane the earliest due rows whose key is free: no older row of the key is being worked on. Of a superseding kind the
 *   newest row is taken. Of other kinds the oldest one without an attempt is taken; a failed row waits behind any newer one.
 * - `picked`: rows whose process was lost are tried in smaller batches, then alone, so that a payload which kills the process is isolated
 *   without the rest of its batch.
 * - `older`: the rows that the picked ones supersede. Rows of another claim are skipped, because the effect checks the key again. The
 *   condition that nobody holds them is written in a form that the index of open rows does not fit: a plan for few rows would read it once
 *   per picked row, instead of the key's.
 */
const CLAIM = `
with recursive behind as (
  (select company_id, kind, next_attempt_at from import_task
    where lease_until is null and (company_id, kind) > ($1::uuid, $2::text)
    order by company_id, kind, next_attempt_at limit 1)
  union all
  select next.* from behind, lateral (
    select t.company_id, t.kind, t.next_attempt_at from import_task t
    where t.lease_until is null and (t.company_id, t.kind) > (behind.company_id, behind.kind)
    order by t.company_id, t.kind, t.next_attempt_at limit 1) next
),
fore as (
  (select company_id, kind, next_attempt_at from import_task
    where lease_until is null and (company_id, kind) <= ($1::uuid, $2::text)
    order by company_id, kind, next_attempt_at limit 1)
  union all
  select next.* from fore, lateral (
    select t.company_id, t.kind, t.next_attempt_at from import_task t
    where t.lease_until is null and (t.company_id, t.kind) > (fore.company_id, fore.kind) and (t.company_id, t.kind) <= ($1::uuid, $2::text)
    order by t.company_id, t.kind, t.next_attempt_at limit 1) next
),
lane as (select * from behind union all select * from fore),
due as materialized (
  select company_id, kind, ($4::integer[])[array_position($7::text[], kind)] as size
  from lane where (select ${NO_MIGRATION_WAITS}) and next_attempt_at <= now() and kind = any ($7::text[]) and company_id <> all ($8::uuid[]) limit $3::integer
),
ready as materialized (
  select l.company_id, l.kind, l.size, r.*
  from due l,
  lateral (
    select t.ctid as at, t.imported_for, t.sequence, t.next_attempt_at, t.lost_claims
    from import_task t
    where t.lease_until is null and t.company_id = l.company_id and t.kind = l.kind and t.next_attempt_at <= now()
      and (t.imported_for is null or (
        not exists (select from import_task o where o.company_id = t.company_id and o.kind = t.kind and o.imported_for = t.imported_for
          and o.sequence < t.sequence and (o.lease_until is not null or (t.kind <> all ($6::text[]) and not ${failed('o')})))
        and not ((t.kind = any ($6::text[]) or ${failed('t')}) and exists (select from import_task n where n.company_id = t.company_id and n.kind = t.kind
          and n.imported_for = t.imported_for and n.sequence > t.sequence))))
    order by t.next_attempt_at, t.sequence
    limit l.size
    for update skip locked) r
),
numbered as (
  select *, row_number() over lane_order as n, first_value(lost_claims) over lane_order as lost, count(*) over (partition by company_id, kind) as found
  from ready window lane_order as (partition by company_id, kind order by next_attempt_at, sequence)
),
picked as (
  select * from numbered
  where lost_claims = lost and n <= case lost when 0 then size when 1 then greatest(size / 10, 1) else 1 end
),
older as (
  delete from import_task d using picked p, lateral (
    select t.ctid as at from import_task t
    where t.company_id = p.company_id and t.kind = p.kind and t.imported_for = p.imported_for and t.sequence < p.sequence
      and (p.kind = any ($6::text[]) or ${failed('t')}) and coalesce(t.lease_until, 'infinity') = 'infinity'
    for update skip locked) o
  where d.ctid = o.at
  returning d.id, d.company_id, d.kind
),
superseded as (
  update imported_record r set state = 'skipped', last_error = 'superseded', processed_at = now(), next_attempt_at = null,
    updated_at = clock_timestamp()
  from older where r.id = older.id
),
claimed as (
  update import_task t set attempts = t.attempts + 1, lease_until = now() + $5 * interval '1 second'
  from picked where t.ctid = picked.at
  returning t.company_id, t.kind, t.id, t.attempts, t.sequence
),
of_lane as (
  select company_id, kind, json_agg(json_build_object('id', id, 'attempt', attempts) order by sequence) as rows, count(*) as claimed
  from claimed group by company_id, kind
)
select c.company_id, c.kind, c.rows, l.lost, company_now(c.company_id) as now,
  -- As they were before this statement.
  (select json_agg(json_build_object('id', o.id, 'companyId', o.company_id, 'kind', o.kind,
      'before', (select r.state from imported_record r where r.id = o.id), 'state', 'skipped'))
    from older o where o.company_id = c.company_id and o.kind = c.kind) as superseded,
  l.found >= l.size or l.found > c.claimed or (select count(*) from due) >= $3::integer as more
from of_lane c join (select company_id, kind, max(found) as found, max(size) as size, max(lost) as lost from picked group by company_id, kind) l using (company_id, kind)
order by (c.company_id, c.kind) <= ($1::uuid, $2::text), c.company_id, c.kind`;

/** Options of claims. */
export interface ClaimRules {
  /** Kinds for which this worker has an importer; others are left to workers that have one. */
  kinds: ImportKind[];
  /** Kinds whose newer rows replace all older open ones of their key, not only those that failed. */
  supersedes: ImportKind[];
  /** Rows of a batch, unless `batchSizes` has another number for the kind. */
  batchSize: number;
  batchSizes?: Partial<Record<ImportKind, number>>;
  leaseSeconds: number;
}

interface Found {
  company_id: string;
  kind: ImportKind;
  rows: Claim['rows'];
  lost: number;
  now: string;
  superseded: Ended[] | null;
  more: boolean;
}

/** Milliseconds for which nothing of a company is claimed of which a claim failed. */
const REST = 5_000;

/** Companies of which a claim failed in this process, and when they are claimed again (`Date.now()`). */
export class Resting {
  readonly #until = new Map<string, number>();
  readonly #report: (error: unknown, companyId: string) => void;

  /** @param report what is done with the error of a company's claim */
  constructor(report: (error: unknown, companyId: string) => void) {
    this.#report = report;
  }

  /** Those of which nothing is claimed now. */
  ids(): string[] {
    for (const [companyId, until] of this.#until) if (until <= Date.now()) this.#until.delete(companyId);
    return [...this.#until.keys()];
  }

  add({ companyId, cause }: NotNoted): void {
    this.#until.set(companyId, Date.now() + REST);
    this.#report(cause, companyId);
  }
}

/** The changes of a company's claim cannot be noted for its subscribers. */
class NotNoted extends Error {
  constructor(
    readonly companyId: string,
    override readonly cause: unknown,
  ) {
    super(`what happened to imports of ${companyId} could not be noted`);
  }
}

/**
 * Claims due rows for at most `lanes` batches, those after `turn` first. What they supersede has its outcome by that, so subscribers learn of it in the
 * same transaction. A company of which that fails is left out, and claimed later: the others are claimed without it.
 * @returns no claims if nothing is due
 */
export async function claim(parent: EntityManager, rules: ClaimRules, turn: Turn, lanes: number, resting: Resting): Promise<Claim[]> {
  for (;;) {
    try {
      return await claimExcept(resting.ids(), parent, rules, turn, lanes);
    } catch (error) {
      if (!(error instanceof NotNoted)) throw error;
      resting.add(error);
    }
  }
}

function claimExcept(resting: readonly string[], parent: EntityManager, rules: ClaimRules, turn: Turn, lanes: number): Promise<Claim[]> {
  const sizes = rules.kinds.map((kind) => rules.batchSizes?.[kind] ?? rules.batchSize);
  const values = [turn.companyId, turn.kind, lanes, sizes, rules.leaseSeconds, rules.supersedes, rules.kinds, resting];
  return parent.fork({ clear: true }).transactional(async (em) => {
    // Not prepared by name: a plan from when the queue was empty would be kept, and read the full queue row by row against itself.
    const found = await queryIn<Found>(em as EntityManager, CLAIM, values);
    for (const { company_id: companyId, now, superseded } of found) {
      if (!superseded) continue;
      const tx = {
        em: em as EntityManager,
        now: new Date(now),
        query: <R extends object>(sql: string, of: unknown[]) => queryIn<R>(em as EntityManager, sql, of),
      };
      await noteHappened(tx, outcomesOf(superseded)).catch((error: unknown) => {
        // A connection that is gone says nothing of the company.
        throw faultOf(error) === 'lost-connection' ? error : new NotNoted(companyId, error);
      });
    }
    return found.map(({ company_id: companyId, kind, rows, lost, more }) => ({ companyId, kind, rows, lost, more }));
  });
}

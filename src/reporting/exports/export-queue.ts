import type { EntityManager } from '@mikro-orm/postgresql';
import type { RememberedActor } from '../../identity/access/viewer.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import type { Leased } from '../../platform/queue/lease-queue.ts';
import { localDate } from '../../platform/time.ts';
import { dueAfter, type Rhythm } from './due-times.ts';
import type { ExportEnd, ExportFormat, ExportStorage } from './export-schedule.entity.ts';

/** Running the schedules of all companies. What they export is read as their authors. */
export const LIST_EXPORTS = definePurpose('list_exports', {
  export_schedule: [
    'select (id, company_id, name, list, query, format, frequency, weekday, local_time, recipients, storage, created_by_type, created_by_id, created_by_name, grants, language, due_at, discarded_at, ended_at)',
    'update (due_at, ended_at, end_reason, updated_at)',
  ],
  export_run: [
    'select (id, company_id, export_schedule_id, created_at, due_at, state, record_count, byte_size, file_id, file_name, finished_at, next_at, attempts, claimed_at, is_claimed)',
    'insert',
    'update (state, record_count, byte_size, archived_before, error, file_id, file_name, finished_at, next_at, attempts, claimed_at, is_claimed, updated_at)',
    'delete',
  ],
  company: ['select (id, legal_name, time_zone)'],
});

/** Schedules that are planned at a time. */
const MOST = 100;
/** Runs of a company in 24 hours, twice as many as it may have schedules: whoever makes and deletes them again and again fills no mailbox. */
const MOST_RUNS = 100;
/** Days after which the file of a run is forgotten, and the run itself. */
const KEPT = { file: 2, run: 90 } as const;

const DUE = `select s.id, s.company_id as "companyId", s.frequency, s.weekday, s.local_time as "localTime", c.time_zone as zone,
    (extract(epoch from s.due_at) * 1000)::float8 as due, (extract(epoch from company_now(s.company_id) - now()) * 1000)::float8 as ahead
  from export_schedule s join company c on c.id = s.company_id
  where s.due_at <= now() and s.discarded_at is null order by s.due_at limit ${MOST} for update of s skip locked`;
const ADD = `insert into export_run (id, company_id, export_schedule_id, due_at, next_at, state, error, finished_at)
  select $1::uuid, $2::uuid, $3::uuid, $4::timestamptz, case when not f.is_full then now() end, case when f.is_full then 'error' else 'pending' end,
    case when f.is_full then $5 end, case when f.is_full then now() end
  from (select count(*) >= ${MOST_RUNS} as is_full from (
    select from export_run r where r.company_id = $2::uuid and r.created_at > now() - interval '1 day' limit ${MOST_RUNS}) t) f
  on conflict (export_schedule_id, due_at) do nothing`;

interface Due extends Rhythm {
  id: string;
  companyId: string;
  zone: string;
  /** In the time of the world, and by how many milliseconds the company's clock is ahead of it. */
  due: number;
  ahead: number;
}

/**
 * Makes a run for each schedule that is due, and says when it is due next: in one transaction, so that each due time has one run, whoever dies. Of
 * times that passed while nobody worked, the first is made up for, and the others are not. A run above what a company may have in a day is over at once.
 */
export async function planRuns(em: EntityManager): Promise<number> {
  return runAsPurpose(LIST_EXPORTS, () =>
    em.fork({ clear: true }).transactional(async (tx) => {
      const due = await queryIn<Due>(tx as EntityManager, DUE);
      for (const one of due) {
        // On a later day also where the company has moved to a zone in which this day has the time once more.
        const had = localDate(new Date(one.due + one.ahead), one.zone);
        const next = new Date(dueAfter(one, one.zone, new Date(Math.max(Date.now(), one.due) + one.ahead), had).getTime() - one.ahead);
        const error = translate('en', 'export_too_many', { max: MOST_RUNS });
        await queryIn(tx as EntityManager, ADD, [newId(), one.companyId, one.id, new Date(one.due + one.ahead), error]);
        await queryIn(tx as EntityManager, 'update export_schedule set due_at = $2::timestamptz where id = $1::uuid', [one.id, next]);
      }
      return due.length;
    }),
  );
}

/** A run whose turn it is. */
export interface RunJob extends Leased {
  id: string;
  scheduleId: string;
}

/** Of a process that died, a run is due again when its lease is over, and keeps others of its company waiting no longer. */
const RELEASE = 'update export_run set is_claimed = false where is_claimed and next_at <= now()';
/**
 * Takes one due run for `$1` seconds: of a company that has none at work, and of these of the one whose turn was longest ago. So one with many or long
 * exports keeps nobody else's waiting. Two processes that look at once see the same, and the index `export_run_at_work_key` lets one of them have it.
 */
const CLAIM = `update export_run set next_at = now() + $1 * interval '1 second', attempts = attempts + 1, claimed_at = clock_timestamp(), is_claimed = true
  where id = (select r.id from export_run r where r.next_at <= now()
    and not exists (select from export_run w where w.company_id = r.company_id and w.is_claimed)
    order by (select max(t.claimed_at) from export_run t where t.company_id = r.company_id and t.claimed_at is not null) nulls first, r.next_at
    limit 1 for update skip locked)
  returning id, export_schedule_id as "scheduleId", attempts`;

/** Takes due runs for `lease` seconds, each of another company. @param most runs */
export async function claimRuns(em: EntityManager, most: number, lease: number): Promise<RunJob[]> {
  await rows(em, RELEASE, []);
  const claimed: RunJob[] = [];
  while (claimed.length < most) {
    try {
      const [job] = await rows<RunJob>(em, CLAIM, [lease]);
      if (!job) break;
      claimed.push(job);
    } catch (error) {
      // Another process took a run of this company at the same moment: what is left now is another one's.
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
  return claimed;
}
const UNIQUE_VIOLATION = '23505';

/** Keeps a run for so many more seconds, or puts it back for so long. @param isAtWork otherwise others of its company have their turn meanwhile */
export function postponeRun(em: EntityManager, { id }: RunJob, seconds: number, isAtWork: boolean): Promise<unknown[]> {
  const sql = `update export_run set next_at = now() + $2 * interval '1 second', is_claimed = $3 where id = $1 and state = 'pending' returning id`;
  return rows(em, sql, [id, seconds, isAtWork]);
}

/** The list that a run exports, and its author. */
export interface RunAsked {
  companyId: string;
  company: string;
  name: string;
  list: string;
  query: string;
  format: ExportFormat;
  recipients: string[];
  storage: ExportStorage | null;
  actor: RememberedActor;
  author: string;
  language: Language;
  zone: string;
  due: number;
  discarded: boolean;
}

const ASKED = `select s.company_id as "companyId", c.legal_name as company, s.name, s.list, s.query, s.format, s.recipients, s.storage,
    jsonb_build_object('type', s.created_by_type, 'id', s.created_by_id, 'grants', s.grants) as actor, s.created_by_name as author, s.language,
    c.time_zone as zone, (extract(epoch from r.due_at) * 1000)::float8 as due, s.discarded_at is not null as discarded
  from export_run r join export_schedule s on s.id = r.export_schedule_id join company c on c.id = s.company_id where r.id = $1`;

export const askedOf = async (em: EntityManager, id: string): Promise<RunAsked | undefined> => (await rows<RunAsked>(em, ASKED, [id]))[0];

/** The outcome of a run. */
export interface RunOutcome {
  state: 'success' | 'error';
  error?: string;
  file?: {
    /** Of its bytes, for mails that have it. */
    key?: string | undefined;
    name: string;
    size: number;
    records: number;
    /** Since when its list is complete (ISO 8601). */
    archivedBefore?: string | undefined;
  };
}

/** Notes the outcome in a running transaction. @returns false if somebody else was faster */
export async function settleRun(em: EntityManager, id: string, { state, error, file }: RunOutcome): Promise<boolean> {
  const sql = `update export_run set state = $2, error = $3, file_id = $4::uuid, file_name = $5, byte_size = $6, record_count = $7, archived_before = $8::timestamptz, next_at = null, is_claimed = false,
      finished_at = now(), updated_at = now() where id = $1::uuid and state = 'pending' returning id`;
  const { key = null, name = null, size = null, records = null, archivedBefore = null } = file ?? {};
  const values = [id, state, error ?? null, key, name, size, records, archivedBefore];
  return runAsPurpose(LIST_EXPORTS, async () => (await queryIn(em, sql, values)).length === 1);
}

/** Ends a schedule by itself, in a running transaction. */
export const endSchedule = (em: EntityManager, id: string, reason: ExportEnd): Promise<unknown> =>
  runAsPurpose(LIST_EXPORTS, () =>
    queryIn(em, 'update export_schedule set due_at = null, ended_at = now(), end_reason = $2, updated_at = now() where id = $1::uuid', [
      id,
      reason,
    ]),
  );

/** Forgets files that were sent, whose bytes are nobody's then, and old runs. */
export async function forgetRuns(em: EntityManager): Promise<void> {
  await rows(
    em,
    `update export_run set file_id = null where file_id is not null and finished_at < now() - interval '${KEPT.file} days'`,
    [],
  );
  await rows(em, `delete from export_run where finished_at < now() - interval '${KEPT.run} days'`, []);
}

const rows = <R extends object>(em: EntityManager, sql: string, parameters: unknown[]): Promise<R[]> =>
  queryAs<R>(LIST_EXPORTS, em, sql, parameters);

import type { EntityManager } from '@mikro-orm/postgresql';
import type { RememberedActor } from '../../identity/access/viewer.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import { dueAfter, type Rhythm } from './due-times.ts';
import type { ExportEnd, ExportFormat, ExportStorage } from './export-schedule.entity.ts';

/** Running the schedules of all companies. What they export is read as their authors. */
export const LIST_EXPORTS = definePurpose('list_exports', {
  export_schedule: [
    'select (id, company_id, name, list, query, format, frequency, weekday, local_time, recipients, storage, created_by_type, created_by_id, created_by_name, grants, language, due_at, discarded_at, ended_at)',
    'update (due_at, ended_at, end_reason, updated_at)',
  ],
  export_run: [
    'select (id, company_id, export_schedule_id, due_at, state, record_count, byte_size, file_id, file_name, finished_at, next_at, attempts)',
    'insert',
    'update (state, record_count, byte_size, error, file_id, file_name, finished_at, next_at, attempts, updated_at)',
    'delete',
  ],
  company: ['select (id, legal_name, time_zone)'],
});

/** Schedules that are planned at a time. */
const MOST = 100;
/** Days after which the file of a run is forgotten, and the run itself. */
const KEPT = { file: 2, run: 90 } as const;

const DUE = `select s.id, s.company_id as "companyId", s.frequency, s.weekday, s.local_time as "localTime", c.time_zone as zone,
    (extract(epoch from s.due_at) * 1000)::float8 as due
  from export_schedule s join company c on c.id = s.company_id
  where s.due_at <= now() and s.discarded_at is null order by s.due_at limit ${MOST} for update of s skip locked`;
const ADD = `insert into export_run (id, company_id, export_schedule_id, due_at, next_at) values ($1::uuid, $2::uuid, $3::uuid, $4::timestamptz, now())
  on conflict (export_schedule_id, due_at) do nothing`;

interface Due extends Rhythm {
  id: string;
  companyId: string;
  zone: string;
  due: number;
}

/**
 * Makes a run for each schedule that is due, and says when it is due next: in one transaction, so that each due time has one run, whoever dies. Of
 * times that passed while nobody worked, the first is made up for, and the others are not.
 */
export async function planRuns(em: EntityManager): Promise<number> {
  return runAsPurpose(LIST_EXPORTS, () =>
    em.fork({ clear: true }).transactional(async (tx) => {
      const due = await queryIn<Due>(tx as EntityManager, DUE);
      for (const one of due) {
        const next = dueAfter(one, one.zone, new Date(Math.max(Date.now(), one.due)));
        await queryIn(tx as EntityManager, ADD, [newId(), one.companyId, one.id, new Date(one.due)]);
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

/** Takes due runs for `lease` seconds. @param most runs */
export const claimRuns = (em: EntityManager, most: number, lease: number): Promise<RunJob[]> =>
  rows<RunJob>(em, claimSql('export_run', { due: 'next_at', attempts: 'attempts' }, 'id, export_schedule_id as "scheduleId", attempts'), [
    most,
    lease,
  ]);

/** Keeps a run for `lease` more seconds, or puts it back so long. */
export const postponeRun = (em: EntityManager, { id }: RunJob, seconds: number): Promise<unknown[]> =>
  rows(em, `update export_run set next_at = now() + $2 * interval '1 second' where id = $1 and state = 'pending' returning id`, [
    id,
    seconds,
  ]);

/** What a run exports. */
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

/** What became of a run. */
export interface RunOutcome {
  state: 'success' | 'error';
  error?: string;
  file?: { key?: string; name: string; size: number; records: number };
}

/** Notes the outcome in a running transaction. @returns false if somebody else was faster */
export async function settleRun(em: EntityManager, id: string, { state, error, file }: RunOutcome): Promise<boolean> {
  const sql = `update export_run set state = $2, error = $3, file_id = $4::uuid, file_name = $5, byte_size = $6, record_count = $7, next_at = null,
      finished_at = now(), updated_at = now() where id = $1::uuid and state = 'pending' returning id`;
  const values = [id, state, error ?? null, file?.key ?? null, file?.name ?? null, file?.size ?? null, file?.records ?? null];
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
  runAsPurpose(LIST_EXPORTS, async () => (await (await poolOf(em)).query<R>(sql, parameters)).rows);

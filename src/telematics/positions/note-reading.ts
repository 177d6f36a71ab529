import type { EntityManager } from '@mikro-orm/postgresql';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { type AuditRecord, writeRecords } from '../../platform/commands/records.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';

/** Hours within which the same caller who reads the same again is not noted again: maps ask again and again, and lists have pages. */
const HOURS = 1;

// All parts of an export say the same.
const NOTED = `select from audit_entry where company_id = $1 and subject_type = $2 and subject_id = $3 and created_at > present_time() - interval '${HOURS} hours'
  and event = 'read' and created_by_id = $4 and object_changes = $5::jsonb limit 1`;

/** The people whose positions are read, and by which record or in which time. */
export interface ReadPositions {
  /** The person; for work that nobody has any more, the job. */
  type: 'User' | 'Job';
  id: string;
  /** The company for which they are read. */
  companyId: string;
  by: Record<string, string | null | undefined>;
}

/**
 * Notes in the audit log that somebody reads where another person was, before it is answered: without the row there is no answer (PROOF A7). What
 * people read of themselves is not noted. Whoever acts as another person has a row for each read anyway (platform/read/watched.ts).
 */
export async function noteReading(ctx: Context, { type, id, companyId, by }: ReadPositions): Promise<void> {
  const viewer = viewerOf(ctx);
  if (viewer.id === id || viewer.type === 'Impersonation') return;
  const changes: AuditRecord['changes'] = { positions: [null, ctx.rowsAtOnce === undefined ? 'read' : 'exported'] };
  for (const [name, value] of Object.entries(by)) if (value) changes[name] = [null, value];
  // Not within the snapshot of an export, which does not see what was noted for its first part.
  const em = ctx.em.fork({ clear: true });
  const { rows } = await (await poolOf(em)).query(NOTED, [companyId, type, id, viewer.id, JSON.stringify(changes)]);
  if (rows.length > 0) return;
  const author = { actor: viewer, requestId: ctx.requestId, now: presentTime() };
  const records = { events: [], audits: [{ event: 'read', type, id, companyId, changes } as const], transitions: [] };
  await em.transactional((tx) => writeRecords(tx as EntityManager, records, author));
}

/** The same of the positions of a job. @param reads the company for which they are read; by default that of the viewer */
export function noteReadingOfJob(ctx: Context, job: Job, reads: string | null | undefined): Promise<void> {
  const whose = job.driver ? ({ type: 'User', id: job.driver.id } as const) : ({ type: 'Job', id: job.id } as const);
  return noteReading(ctx, { ...whose, companyId: reads ?? viewerOf(ctx).companyId, by: { job_id: job.id } });
}

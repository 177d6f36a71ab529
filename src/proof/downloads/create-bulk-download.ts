import { Field, ID, InputType } from 'type-graphql';
import { ofJobsThat } from '../../dispatch/board/job-facet.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { OrderJobFilter } from '../../dispatch/orders/order.lists.ts';
import { FILE_CATEGORIES, type FileCategory } from '../../files/file-attachment.entity.ts';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { wakeWorkers } from '../../platform/commands/wake-workers.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid, TooMany } from '../../platform/errors.ts';
import { OneOf } from '../../platform/graphql/rules.ts';
import { BulkDownload, BulkDownloadType } from './bulk-download.entity.ts';
import { filesOfJobs, MOST } from './files-of-jobs.ts';

const optional = { nullable: true };

@InputType()
export class BulkDownloadFilter {
  @Field(() => OrderJobFilter, { nullable: true, description: 'All visible jobs that match the whole filter.' })
  job?: OrderJobFilter | null;
  @Field(() => [String], { nullable: true, description: 'Pictures of tickets count as `Scale Ticket (External)`.' })
  @OneOf(FILE_CATEGORIES)
  categories?: FileCategory[] | null;
}

@InputType()
export class CreateBulkDownloadInput {
  @Field(() => BulkDownloadType, {
    description: 'A PDF has the pages of PDFs and a page for each image. Other files are named on its last page.',
  })
  type!: BulkDownloadType;
  @Field(() => [ID], { nullable: true, description: 'Required, unless `filter.job` is sent.' }) jobIds?: string[] | null;
  @Field(() => BulkDownloadFilter, optional) filter?: BulkDownloadFilter | null;
}

/** Jobs of one archive. */
const MOST_JOBS = 2_000;
/** Milliseconds an archive is kept. */
const LIFETIME = 86_400_000;
/** Archives that somebody may have waiting at a time. */
const OPEN_LIMIT = 10;
const RETRY_AFTER = 30;
const model = 'BulkDownload';

/**
 * Requests the files of jobs and their loads, and the pictures of their tickets, in one archive. Which files they are is decided now, by
 * what the caller may read; the archive is packed in the background.
 * @throws Invalid for no, unknown or too many jobs, or too many files; TooMany while OPEN_LIMIT wait already
 */
export async function createBulkDownload(ctx: Context, input: CreateBulkDownloadInput): Promise<{ id: string }> {
  const viewer = viewerOf(ctx);
  const made = await transact(ctx, async (tx) => {
    await limitOpen(tx);
    const most = MOST[input.type];
    const files = await filesOfJobs(tx, await jobsOf(tx, input), most, input.filter?.categories ?? undefined);
    const limit = { files: most.files, megabytes: most.bytes / 1_000_000 };
    if (!files) throw new Invalid([{ model, field: '', key: 'download_too_large', params: limit }]);
    const download = Object.assign(new BulkDownload(), {
      companyId: viewer.companyId,
      createdByType: viewer.type,
      createdById: viewer.id,
      type: input.type,
      fileCount: files.length,
      files,
      language: ctx.language,
      expiresAt: new Date(worldTime(tx.tx).getTime() + LIFETIME),
      // Nothing to pack is packed.
      ...(files.length === 0 ? { state: 'success' as const } : { dueAt: worldTime(tx.tx) }),
    });
    tx.em.persist(download);
    wakeWorkers(tx);
    emitEvent(tx, 'bulk_download.created', download, { file_count: files.length });
    return { id: download.id };
  });
  ctx.location = `/v1/bulk_downloads/${made.id}`;
  return made;
}

/** Locks the caller's downloads until the commit, so that concurrent requests are counted like consecutive ones. */
async function limitOpen(tx: TxContext): Promise<void> {
  const viewer = viewerOf(tx);
  await queryIn(tx.em, `select pg_advisory_xact_lock(hashtextextended('haulgate:downloads:' || $1, 0))`, [viewer.id]);
  const open = await queryIn(
    tx.em,
    'select from bulk_download where company_id = $1 and created_by_id = $2 and due_at is not null limit $3',
    [viewer.companyId, viewer.id, OPEN_LIMIT],
  );
  if (open.length === OPEN_LIMIT) throw new TooMany(RETRY_AFTER);
}

/** @returns ids of jobs the caller sees */
async function jobsOf(tx: TxContext, input: CreateBulkDownloadInput): Promise<string[]> {
  const { jobIds, filter } = input;
  const refuse = (field: string, key: string): never => {
    throw new Invalid([{ model, field, key, params: { max: MOST_JOBS } }]);
  };
  if (jobIds ? jobIds.length === 0 : !filter?.job) refuse('jobIds', 'required');
  if (jobIds && jobIds.length > MOST_JOBS) refuse('jobIds', 'too_many_jobs');
  const named = jobIds && [...new Set(jobIds.map((id) => id.toLowerCase()))];
  if (named) await resolveReferences(tx, { jobIds }, { jobs: [Job, 'jobIds'] as const }, { model });
  if (named && !filter?.job) return named;
  const where = await ofJobsThat({ key: 'self', id: (job) => `${job}.id` }, { job: filter?.job ?? {} }, tx, companyOf(tx));
  const found = await queryIn<{ id: string }>(
    tx.em,
    `select s.id from job s where ${where.sql('s', '$1::jsonb')} and ($2::uuid[] is null or s.id = any($2)) order by s.job_start_at, s.id limit $3`,
    [where.value, named ?? null, MOST_JOBS + 1],
  );
  if (found.length > MOST_JOBS) refuse('filter.job', 'too_many_jobs');
  return found.map(({ id }) => id);
}

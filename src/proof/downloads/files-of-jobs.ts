import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { FileAttachment, type FileCategory } from '../../files/file-attachment.entity.ts';
import { readableBy, viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Ticket } from '../ticket.entity.ts';
import { archiveNames } from './archive-names.ts';
import type { BulkDownloadType, PackedFile } from './bulk-download.entity.ts';

/** Files of one download, and their bytes; a PDF is put together in memory. */
export const MOST: Readonly<Record<BulkDownloadType, { files: number; bytes: number }>> = {
  zip: { files: 5_000, bytes: 1_000_000_000 },
  pdf: { files: 1_000, bytes: 250_000_000 },
};

interface Found {
  jobId: string;
  key: string;
  fileName: string;
  size: number;
}

/**
 * The files of jobs and of their loads that the caller reads, and the pictures of their tickets, by job and in the order they came.
 * @param jobIds jobs the caller sees
 * @param categories of attachments, all by default
 * @returns undefined when they are more than an archive holds
 */
export async function filesOfJobs(
  tx: TxContext,
  jobIds: readonly string[],
  most: { files: number; bytes: number },
  categories?: readonly FileCategory[],
): Promise<PackedFile[] | undefined> {
  const filters = { tenant: readableBy(viewerOf(tx)) };
  const jobs = await tx.em.find(Job, { id: { $in: [...jobIds] } }, { filters, fields: ['id', 'jobId'] });
  const loads = await tx.em.find(Load, { job: { $in: [...jobIds] } }, { filters, fields: ['id', 'job'] });
  const jobOf = new Map([...jobs.map(({ id }) => [id, id] as const), ...loads.map(({ id, job }) => [id, job.id] as const)]);
  const friendly = new Map(jobs.map(({ id, jobId }) => [id, jobId]));
  const about = (fileAttachableType: 'Job' | 'Load', ids: string[]) => ({ fileAttachableType, fileAttachableId: { $in: ids } });
  const options = { filters, orderBy: { id: 'asc' as const }, limit: most.files + 1 };
  const attached = await tx.em.find(
    FileAttachment,
    {
      $or: [
        about(
          'Job',
          jobs.map(({ id }) => id),
        ),
        about(
          'Load',
          loads.map(({ id }) => id),
        ),
      ],
      ...(categories ? { category: { $in: [...categories] } } : {}),
    },
    { ...options, fields: ['id', 'fileAttachableId', 'fileName', 'byteSize'] },
  );
  const pictured =
    !categories || categories.includes('Scale Ticket (External)')
      ? await tx.em.find(
          Ticket,
          { job: { $in: [...jobIds] }, state: { $ne: 'voided' }, imageId: { $ne: null } },
          { ...options, fields: ['id', 'job', 'ticketNumber', 'imageId', 'imageSize'] },
        )
      : [];
  const found: Found[] = [
    ...attached.map(({ id, fileAttachableId, fileName, byteSize }) => ({
      ...{ jobId: jobOf.get(fileAttachableId)!, key: id, fileName, size: byteSize },
    })),
    ...pictured.map(({ job, ticketNumber, imageId, imageSize }) => ({
      ...{ jobId: job!.id, key: imageId!, fileName: `ticket ${(ticketNumber ?? '').replace(/[/\\]/g, '-')}.jpg`, size: imageSize! },
    })),
  ];
  if (found.length > most.files || found.reduce((sum, { size }) => sum + size, 0) > most.bytes) return undefined;
  const place = new Map(jobIds.map((id, index) => [id, index]));
  found.sort((a, b) => place.get(a.jobId)! - place.get(b.jobId)!);
  const names = archiveNames(found.map(({ jobId, fileName }) => ({ folder: friendly.get(jobId)!, fileName })));
  return found.map(({ key }, index) => ({ key, name: names[index]! }));
}

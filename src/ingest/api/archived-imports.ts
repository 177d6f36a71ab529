import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { isUuid, timeOf } from '../../platform/ids.ts';
import { refuseArchived } from '../../platform/read/past/archived.ts';

const TABLES = { ImportBatch: 'import_batch', ImportedRecord: 'imported_record' } as const;

/**
 * Reads a batch or a record of the importer. One that is not there, and whose id is of a time of which the company's imports are archived, is gone:
 * its id says when it was received, so that nothing has to be kept of it.
 * @throws Gone, and what `read` throws
 */
export async function orArchived<T>(
  ctx: Context,
  model: keyof typeof TABLES,
  id: string,
  companyId: string | null | undefined,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Missing && isUuid(id))
      await refuseArchived(ctx, { model, companyId: companyOf(ctx, companyId), table: TABLES[model], made: timeOf(id) });
    throw error;
  }
}

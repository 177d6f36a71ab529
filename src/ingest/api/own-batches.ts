import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { PERMISSION } from '../ledger/admit.ts';
import { ImportBatch } from './import-batch.entity.ts';

/**
 * Lets those through who look after imports, and whoever sent the batch and may still send its kind: the answer to the request would
 * have told them as much, had they waited.
 * @throws Denied alike for what others sent and for what is not there
 */
export async function mayReadBatch(ctx: Context, id: string, companyId?: string | null): Promise<Viewer> {
  const viewer = viewerOf(ctx);
  if (viewer.can('view_imports')) return viewer;
  const batch = await find(ctx, ImportBatch, id, { companyId }).catch((error) => {
    if (error instanceof Missing) return undefined;
    throw error;
  });
  const isOwn = batch?.createdById === viewer.id && viewer.can(PERMISSION[batch.kind]);
  return isOwn ? viewer : allow(ctx, 'view_imports');
}

import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { unlessMissing } from '../../platform/errors.ts';
import { PERMISSION } from '../ledger/admit.ts';
import { ImportBatch } from '../ledger/import-batch.entity.ts';

/**
 * Checks access to a batch. People who manage imports may read it, and so may its sender while they may send its kind: had they waited, the
 * answer to their request would have shown them the same.
 * @throws Denied for batches of others and for unknown ones alike
 */
export async function mayReadBatch(ctx: Context, id: string, companyId?: string | null): Promise<Viewer> {
  const viewer = viewerOf(ctx);
  if (viewer.can('view_imports')) return viewer;
  const batch = await unlessMissing(find(ctx, ImportBatch, id, { companyId }));
  const isOwn = batch?.createdById === viewer.id && viewer.can(PERMISSION[batch.kind]);
  return isOwn ? viewer : allow(ctx, 'view_imports');
}

/** Returns the condition of a list of batches: all for people who manage imports, for others those that they sent and may still send. @throws Denied */
export function readableBatches(ctx: Context): {
  where: { key: string; sql: (t: string, p: string) => string; cast: string; value: unknown }[];
} {
  const viewer = viewerOf(ctx);
  const kinds = Object.entries(PERMISSION).flatMap(([kind, permission]) => (viewer.can(permission) ? [kind] : []));
  if (viewer.can('view_imports') || kinds.length === 0) {
    allow(ctx, 'view_imports');
    return { where: [] };
  }
  return {
    where: [
      { key: 'own', sql: (t, p) => `${t}.created_by_id = ${p}`, cast: 'uuid', value: viewer.id },
      { key: 'sendable', sql: (t, p) => `${t}.kind = any(${p})`, cast: 'text[]', value: kinds },
    ],
  };
}

import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Resolver, Root, Subscription } from 'type-graphql';
import { type Live, liveChanges, renewed } from '../../events/changes/live.ts';
import { companyOf, find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { ImportBatch } from '../ledger/import-batch.entity.ts';
import { mayReadBatch } from './own-batches.ts';

interface Asked {
  companyId?: string | null;
  batchId?: string | null;
}

/** As `settled` of a batch: every record has an outcome, and those that failed may be tried again (D-INGEST-15). */
const SETTLED = `select b.id from import_batch b where b.id = any($1::uuid[])
  and not exists (select from imported_record r where r.batch_id = b.id and r.state = 'created')`;

/** Batches whose last record was settled; one that is settled already is answered at once if it was asked for. */
async function* settledBatches(ctx: Context, { companyId, batchId }: Asked): AsyncGenerator<Live<string>> {
  const asked = batchId?.toLowerCase();
  if (asked) {
    const first = await renewed(ctx);
    await mayReadBatch(first, asked, companyId);
    // Nothing is ever settled of a batch that is not there: its reader would wait for ever.
    await find(first, ImportBatch, asked, { companyId });
  }
  for await (const { payloads, ctx: now } of liveChanges(ctx, { companyId, types: ['ImportBatch'] })) {
    const changed = payloads.length === 0 && asked ? [asked] : payloads.map(({ id }) => id).filter((id) => !asked || id === asked);
    if (changed.length === 0) continue;
    const settled = await queryOf<{ id: string }>(now, SETTLED, [changed]);
    if (settled.length > 0) yield { payloads: settled.map(({ id }) => id), ctx: now };
    if (asked && settled.length > 0) return;
  }
}

@Resolver()
export class LiveImportsResolver {
  @Subscription(() => ImportBatch, {
    nullable: true,
    description: 'Each import of the company of which the last record was settled. With a batch it ends with that one.',
    subscribe: ({ args, context }) => {
      companyOf(context as Context, (args as Asked).companyId);
      return settledBatches(context as Context, args as Asked) as never;
    },
  })
  @Requires('view_imports', 'create_order', 'create_project', 'create_ticket')
  async importSettled(
    @Root() id: string,
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
    @Arg('batchId', () => ID, { nullable: true, description: 'Only this batch.' }) _batchId?: string,
  ): Promise<ImportBatch> {
    await mayReadBatch(ctx, id, companyId);
    return ctx.read.one(ImportBatch, info, { id, companyId });
  }
}

import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { maskMoney } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Json } from '../../platform/scalars.ts';
import { maskWarnings } from '../dry-run/hide-money.ts';
import { ImportedRecord, ImportWarning } from '../ledger/imported-record.entity.ts';

/** Payloads are shown to people who manage imports; the rates in them only to those who may see rates. */
@Resolver(() => ImportedRecord)
export class ImportedRecordResolver {
  @FieldResolver(() => Json, { nullable: true, description: 'The element as it was sent; rates that the viewer may not see are null.' })
  payload(@Root() record: ImportedRecord, @Ctx() ctx: Context): unknown {
    return maskMoney(viewerOf(ctx), record.payload);
  }

  @FieldResolver(() => Json, { nullable: true })
  metadata(@Root() record: ImportedRecord, @Ctx() ctx: Context): unknown {
    return maskMoney(viewerOf(ctx), record.metadata);
  }

  @FieldResolver(() => [ImportWarning])
  warnings(@Root() record: ImportedRecord, @Ctx() ctx: Context): ImportWarning[] {
    return maskWarnings(viewerOf(ctx), record.warnings);
  }
}

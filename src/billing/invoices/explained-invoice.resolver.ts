import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { Json } from '../../platform/scalars.ts';
import { type FigureJson, shownFigure } from '../pricing/figure-json.ts';
import { Invoice } from './invoice.entity.ts';

@Resolver(() => Invoice)
export class ExplainedInvoiceResolver {
  @FieldResolver(() => Json, {
    nullable: true,
    description:
      'How the total came about: `{ label, amount, operation, places, source, parts }`, down to what somebody wrote on a ticket or agreed on; null before the job is finished. A `source` is a record in its `version`, or, if it counts none, as it is `since` a time; `date` is the day of a price of fuel, for those who see these.',
  })
  explain(@Root() { explain }: Invoice, @Ctx() ctx: Context): FigureJson | null {
    return explain ? shownFigure(viewerOf(ctx), explain as FigureJson) : null;
  }
}

export const explainedInvoices = extendEntity(Invoice, { explain: { columns: ['explain'] } });

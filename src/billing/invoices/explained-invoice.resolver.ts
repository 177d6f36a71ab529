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
      'How the total came about: `{ label, amount, operation, places, source, chosen, parts }`, down to what somebody wrote on a ticket or agreed on; null before the job is finished. A `source` is a record in its `version`, or, if it counts none, as it is `since` a time; `date` is the day of a price of fuel, which is shown with that price and the row of the schedule to those who see these. `chosen` of a rate is `{ source, matched }`: where it is from, and the conditions by which it was chosen.',
  })
  explain(@Root() { explain }: Invoice, @Ctx() ctx: Context): FigureJson | null {
    return explain ? shownFigure(viewerOf(ctx), explain as FigureJson) : null;
  }
}

export const explainedInvoices = extendEntity(Invoice, { explain: { columns: ['explain'] } });

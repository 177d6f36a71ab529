import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../context.ts';
import { namesRecords, withCurrentIds } from '../read/document/former-arguments.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a root field: its arguments name records as they were called, and former ids are left. */
    formerIds?: boolean;
  }
}
declare module '../context.ts' {
  interface Context {
    /** Ids are read as they are: who follows changes asks whether a record of this very id is there. */
    literalIds?: true;
  }
}

/**
 * Has fields with resolvers take former ids of merged records, wherever an argument has an id: of one record, in filters, in inputs. Lists that the
 * planner reads below records take them there (`nestedLists`), and subscriptions at each look.
 */
export function takeFormerIds(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || type === schema.getSubscriptionType()) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, args } = field;
      const { formerIds, isMember } = field.extensions;
      if (!resolve || formerIds || isMember || !args.some((argument) => namesRecords(argument))) continue;
      field.resolve = async (source, given: Record<string, unknown>, ctx: Context, info) => {
        if (ctx.literalIds) return resolve(source, given, ctx, info);
        const { values, current } = await withCurrentIds(field.args, given, ctx);
        const seen = ctx.expects && current?.get(ctx.expects.id);
        if (seen) ctx.expects = { ...ctx.expects!, id: seen };
        return resolve(source, values, ctx, info);
      };
    }
  }
}

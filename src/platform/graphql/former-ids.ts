import {
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import type { Context } from '../context.ts';
import { currentIds } from '../database/former-ids.ts';
import { isUuid } from '../ids.ts';

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

type Replace = (value: unknown) => unknown;
/** Of filters with further words, such as `none`. */
const NAMES_IDS = /Ids?$/;

/**
 * Has root fields take former ids of merged records, wherever an argument has an id: of one record, in filters, in inputs. It costs a statement in
 * companies that have merged records, and nothing in others.
 */
export function takeFormerIds(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      const args = field.args.filter(({ name }) => name !== 'companyId');
      if (!resolve || field.extensions.formerIds || args.length === 0) continue;
      field.resolve = async (source, given: Record<string, unknown>, ctx: Context, info) => {
        if (!ctx.viewer?.hasMerged || ctx.literalIds) return resolve(source, given, ctx, info);
        const ids: string[] = [];
        const note: Replace = (value) => {
          if (typeof value === 'string' && isUuid(value)) ids.push(value);
          return value;
        };
        walk(args, given, note);
        const current = await currentIds(ctx, ids);
        if (current.size === 0) return resolve(source, given, ctx, info);
        const replace: Replace = (value) => (typeof value === 'string' ? (current.get(value.toLowerCase()) ?? value) : value);
        const seen = ctx.expects && current.get(ctx.expects.id);
        if (seen) ctx.expects = { ...ctx.expects!, id: seen };
        return resolve(source, walk(args, given, replace), ctx, info);
      };
    }
  }
}

/** The arguments with every id replaced. */
function walk(
  args: readonly Pick<GraphQLArgument, 'name' | 'type'>[],
  given: Record<string, unknown>,
  replace: Replace,
): Record<string, unknown> {
  const made = { ...given };
  for (const { name, type } of args) if (name in made) made[name] = walkValue(type, name, made[name], replace);
  return made;
}

function walkValue(given: GraphQLInputType, name: string, value: unknown, replace: Replace): unknown {
  if (value === null || value === undefined) return value;
  const type = getNullableType(given);
  if (isListType(type)) return Array.isArray(value) ? value.map((element) => walkValue(type.ofType, name, element, replace)) : value;
  if (isInputObjectType(type)) {
    if (typeof value !== 'object') return value;
    const fields = type.getFields();
    const inner = Object.keys(value).flatMap((key) => (fields[key] ? [fields[key]] : []));
    return walk(inner, value as Record<string, unknown>, replace);
  }
  const isId =
    type === GraphQLID || (isScalarType(type) && type.name === 'String' && NAMES_IDS.test(name) && !/external|platform/i.test(name));
  return isId ? replace(value) : value;
}

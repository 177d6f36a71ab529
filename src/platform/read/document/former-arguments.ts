import {
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import type { Context } from '../../context.ts';
import { currentIds } from '../../database/former-ids.ts';
import { isUuid } from '../../ids.ts';

type Input = Pick<GraphQLArgument, 'name' | 'type'>;
type Replace = (value: unknown) => unknown;
/** Of filters with further words, such as `none`. */
const NAMES_IDS = /Ids?$/;
/** The company of a list is no record of it. */
const COMPANY = 'companyId';

/**
 * Returns what was given for arguments with the ids of the records that stayed in place of former ids of merged ones, wherever an argument has an id, and
 * which were replaced. It takes a statement in companies that have merged records if any id was given, and none otherwise.
 */
export async function withCurrentIds(
  args: readonly Input[],
  given: Record<string, unknown>,
  ctx: Context,
): Promise<{ values: Record<string, unknown>; current?: ReadonlyMap<string, string> }> {
  if (!ctx.viewer?.hasMerged) return { values: given };
  const named = args.filter(({ name }) => name !== COMPANY);
  const ids: string[] = [];
  const note: Replace = (value) => {
    if (typeof value === 'string' && isUuid(value)) ids.push(value);
    return value;
  };
  walk(named, given, note);
  const current = await currentIds(ctx, ids);
  if (current.size === 0) return { values: given };
  const replace: Replace = (value) => (typeof value === 'string' ? (current.get(value.toLowerCase()) ?? value) : value);
  return { values: walk(named, given, replace), current };
}

/** Whether an argument, or something inside of it, may name a record. */
export function namesRecords({ name, type }: Input, seen = new Set<unknown>()): boolean {
  const inner = getNamedType(type);
  if (!isInputObjectType(inner)) return name !== COMPANY && isId(name, inner);
  if (seen.has(inner)) return false;
  seen.add(inner);
  return Object.values(inner.getFields()).some((field) => namesRecords(field, seen));
}

/** The arguments with every id replaced. */
function walk(args: readonly Input[], given: Record<string, unknown>, replace: Replace): Record<string, unknown> {
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
  return isId(name, type) ? replace(value) : value;
}

const isId = (name: string, type: GraphQLInputType): boolean =>
  type === GraphQLID || (isScalarType(type) && type.name === 'String' && NAMES_IDS.test(name) && !/external|platform/i.test(name));

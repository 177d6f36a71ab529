import { type GraphQLField, type GraphQLResolveInfo, type GraphQLSchema, getNamedType } from 'graphql';
import type { Context } from '../context.ts';
import { FEW } from '../database/planned-once.ts';
import { Missing } from '../errors.ts';
import { isUuid } from '../ids.ts';
import type { ListOptions, OneOptions } from '../read/options.ts';
import type { Reader } from '../read/reader.ts';
import { readingWith } from './reading-with.ts';

/** A read of one record that waits for those of the others. */
interface Asked {
  entity: Parameters<Reader['one']>[0];
  info: Parameters<Reader['one']>[1];
  options: OneOptions;
  answer: (record: unknown) => void;
  fail: (error: unknown) => void;
}

/**
 * Answers many ids through the root field that finds a record by its id, with the permissions and conditions of that field, and reads all records
 * in one statement.
 * @param info selects from the type of the field
 * @param args further arguments of the field
 * @returns for each id the record, or the error with which the field refuses it
 */
export function readEach(
  field: GraphQLField<unknown, Context>,
  ids: readonly string[],
  ctx: Context,
  info: GraphQLResolveInfo,
  args: object = {},
): Promise<unknown[]> {
  return readTogether(ctx, ids, (id, reading) =>
    field.resolve!(undefined, { ...args, id }, reading, { ...info, fieldName: field.name, returnType: field.type }),
  );
}

/**
 * Runs something that reads one record for each of many ids, and reads all of the records in one statement. What is run must be the same for
 * each, but for the id.
 * @returns for each id what it answered, or the error that it threw
 */
export async function readTogether(
  ctx: Context,
  ids: readonly string[],
  read: (id: string, reading: Context) => unknown,
): Promise<unknown[]> {
  if (ids.length === 0) return [];
  const asked: Asked[] = [];
  let unread = ids.length;
  const { promise: complete, resolve: start } = Promise.withResolvers<void>();
  const answers = ids.map(async (id) => {
    let counted = false;
    const count = () => {
      if (counted) return;
      counted = true;
      if (--unread === 0) start();
    };
    const one: Reader['one'] = (entity, selection, options) => {
      // A field that reads a second record reads it by itself.
      if (counted) return ctx.read.one(entity, selection, options);
      const { promise, resolve: answer, reject: fail } = Promise.withResolvers<unknown>();
      asked.push({ entity, info: selection, options, answer, fail });
      count();
      return promise as never;
    };
    // A caller who acts for another company reads each record by itself.
    const reading: Context = Object.assign(
      readingWith(ctx, (reader) => ({ one, as: (other) => reader.as(other) })),
      { literalIds: true as const },
    );
    try {
      return await read(id, reading);
    } catch (error) {
      return error;
    } finally {
      count();
    }
  });
  await complete;
  await Promise.all([...Map.groupBy(asked, conditionsOf).values()].map((alike) => readAlike(ctx, alike)));
  return Promise.all(answers);
}

/** The conditions that reads must have in common to be one. */
const conditionsOf = ({ entity, options: { companyId, shared, where = [] } }: Asked): string =>
  JSON.stringify([entity.name, companyId, shared, where.map(({ key, value }) => [key, value])]);

/** Not all records have the time by which lists are sorted otherwise. */
const BY_ID: ListOptions['order'] = { key: 'id', sql: (t) => `${t}.id` };

async function readAlike(ctx: Context, alike: readonly Asked[]): Promise<void> {
  const { entity, info, options, answer, fail } = alike[0]!;
  // A list of one would find no record for a former id, either.
  if (alike.length === 1) return ctx.read.one(entity, info, { ...options, literalId: true }).then(answer, fail);
  const ids = alike.map(({ options: { id } }) => id).filter(isUuid);
  const named = { key: 'ids', sql: (t: string, p: string) => `${t}.id = any(${p})`, cast: 'uuid[]', value: ids };
  const { companyId, shared, where = [] } = options;
  try {
    const found =
      ids.length > 0
        ? await ctx.read.list(entity, info, { companyId, shared, where: [named, ...where], order: BY_ID, few: ids.length <= FEW })
        : [];
    const known = new Map(found.map((record) => [(record as { id: string }).id, record]));
    for (const { options, answer, fail } of alike) {
      const record = known.get(options.id.toLowerCase());
      if (record === undefined) fail(new Missing());
      else answer(record);
    }
  } catch (error) {
    for (const { fail } of alike) fail(error);
  }
}

/** The root fields that find records of a type which the field of its name does not. */
export const alsoFinding = (schema: GraphQLSchema, type: string): GraphQLField<unknown, Context>[] =>
  Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ type: of, extensions }) => extensions.finds === 'also' && getNamedType(of).name === type,
  );

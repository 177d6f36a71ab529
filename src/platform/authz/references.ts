import type { EntityClass } from '@mikro-orm/core';
import type { Context } from '../context.ts';
import type { Along } from '../database/connection/together.ts';
import { currentIds, isMergeable, leftOfMerges } from '../database/former-ids.ts';
import { namedStatement } from '../database/named-statements.ts';
import { findRows, findRowsAhead, foreseeRows } from '../database/rows.ts';
import { queryIn, throwAhead } from '../database/sql.ts';
import type { TenantParams } from '../database/tenant.ts';
import { type ErrorItem, Invalid } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { modelOfClass } from '../model/about.ts';
import { readableBy, viewerOf } from './authorization.ts';

export interface ReferenceOptions {
  /** Type name for error items; by default the input's class name without `Create`, `Update` and `Input`. */
  model?: string;
  /** Put before the field in error items: `waypoints.1.`. */
  path?: string;
  /** The company the referred record must belong to; by default any the viewer can see. */
  companyId?: string;
  /** Also what other companies share with it. */
  shared?: boolean;
  /** Collects the problems instead of throwing, so that a command can report all of its problems at once. */
  items?: ErrorItem[];
  /** Further rows that are looked for in the message of the first of them (`referencesAhead`). */
  behind?: readonly Along[];
}

/**
 * The record that an id inside an input names, under the same conditions as ids in paths: undefined when absent, null when null.
 * @throws Invalid on the field when there is no such record, or it is not visible, or the id is no uuid
 */
export async function resolveReference<T extends { id: string }, I extends object, K extends keyof I & string>(
  ctx: Context,
  entity: EntityClass<T>,
  input: I,
  field: K,
  options: ReferenceOptions = {},
): Promise<T | null | undefined> {
  const found = await resolveReferences(ctx, input, { one: [entity, field] as const }, options);
  return found.one as T | null | undefined;
}

/** An entity and where its ids are in the input: `accountId`, `foremanIds`, `waypoints.*.siteId`. */
export type ReferenceSpec = readonly [EntityClass<{ id: string }>, string];
type ResolvedReference<W> = W extends readonly [EntityClass<infer T>, infer P]
  ? P extends `${string}*${string}`
    ? (T | null | undefined)[]
    : P extends `${string}Ids`
      ? T[] | null | undefined
      : T | null | undefined
  : never;

/**
 * All records an input refers to, one statement per entity. Lists keep the order of their ids; a path with `*` answers one element
 * per element of the list, undefined or null where the id is.
 * @throws Invalid with every id that names nothing visible, each on its own path (`waypoints.1.siteId`)
 */
export async function resolveReferences<const W extends Record<string, ReferenceSpec>>(
  ctx: Context,
  input: object,
  specs: W,
  options: ReferenceOptions = {},
): Promise<{ [K in keyof W]: ResolvedReference<W[K]> }> {
  const { found, sought, params } = soughtIn(ctx, input, specs, options);
  const records = new Map<EntityClass<{ id: string }>, Map<string, { id: string }>>();
  // All of them are looked for in the message of the first one.
  let behind = [...(options.behind ?? []), ...aheadOf(ctx, sought.slice(1), params)];
  for (const { entity, ids, held } of sought) {
    const look = async (of: ReadonlySet<string>) => {
      const along = behind;
      behind = [];
      const rows = ctx.tx && (await findRows(ctx.em, entity, [...of], params, false, along));
      if (rows) return rows;
      throwAhead(ctx.em);
      return (await ctx.em.find(entity, { id: { $in: [...of] } } as never, { filters: { tenant: params } } as never)) as { id: string }[];
    };
    if (held) await holdRows(ctx.em, entity, ids);
    const rows = await look(ids);
    const known = new Map(rows.map((row) => [row.id, row]));
    // Discarded records may be referred to in places; what is left of a merged one nowhere, or the merge could not be undone.
    const discarded = isMergeable(entity) ? rows.flatMap((row) => ('discardedAt' in row && row.discardedAt ? [row.id] : [])) : [];
    if (discarded.length > 0) for (const id of await leftOfMerges(ctx, discarded)) known.delete(id);
    const missing = isMergeable(entity) ? [...ids].filter((id) => !known.has(id)) : [];
    const current = missing.length > 0 ? await currentIds(ctx, missing) : new Map<string, string>();
    if (current.size > 0) {
      const stayed = new Map((await look(new Set(current.values()))).map((row) => [row.id, row]));
      for (const [former, id] of current) if (stayed.has(id)) known.set(former, stayed.get(id)!);
    }
    records.set(entity, known);
  }

  const items: ErrorItem[] = [];
  const resolved: Record<string, unknown> = {};
  for (const { name, entity, path, ids } of found) {
    const list = ids.map(({ id, at }) => {
      if (id === undefined || id === null) return id;
      const record = typeof id === 'string' ? records.get(entity)?.get(id.toLowerCase()) : undefined;
      if (!record)
        items.push({ model: options.model ?? modelOfClass(input.constructor), field: `${options.path ?? ''}${at}`, key: 'must_exist' });
      return record;
    });
    const value = valueAt(input, path);
    resolved[name] = path.includes('*') || Array.isArray(value) ? list : list[0];
  }
  if (options.items) options.items.push(...items);
  else if (items.length > 0) throw new Invalid(items);
  return resolved as { [K in keyof W]: ResolvedReference<W[K]> };
}

/**
 * The statements of `resolveReferences`, to be sent behind another statement of the transaction (`askAhead`): it then finds their rows there.
 * Nothing outside of a transaction.
 */
export const referencesAhead = (
  ctx: Context,
  input: object,
  specs: Readonly<Record<string, ReferenceSpec>>,
  options: ReferenceOptions = {},
): Along[] => {
  const { sought, params } = soughtIn(ctx, input, specs, options);
  return aheadOf(ctx, sought, params);
};

/** The same for records that `resolveReference` will look for, one id each. */
export const foreseeReferences = <T extends { id: string }>(
  tx: Context,
  entity: EntityClass<T>,
  ids: readonly string[],
  { companyId, shared }: Pick<ReferenceOptions, 'companyId' | 'shared'>,
): Promise<T[] | undefined> => foreseeRows(tx.em, entity, ids, referable(tx, { companyId, shared }));

/** Which records an input may refer to. */
const referable = (ctx: Context, { companyId, shared }: Pick<ReferenceOptions, 'companyId' | 'shared'>): TenantParams =>
  readableBy(viewerOf(ctx), companyId ? { companyIds: [companyId], shared } : { shared });

/** An entity whose records an input refers to. */
interface SoughtEntity {
  entity: EntityClass<{ id: string }>;
  ids: ReadonlySet<string>;
  /** Its records are held first (`holdRows`). */
  held: boolean;
}

function soughtIn(ctx: Context, input: object, specs: Readonly<Record<string, ReferenceSpec>>, { companyId, shared }: ReferenceOptions) {
  const found = Object.entries(specs).map(([name, [entity, path]]) => ({ name, entity, path, ids: idsAt(input, path) }));
  const sought = [...Map.groupBy(found, ({ entity }) => entity)].map(([entity, of]): SoughtEntity => {
    const ids = new Set(of.flatMap((one) => one.ids.flatMap(({ id }) => (isUuid(id) ? [id.toLowerCase()] : []))));
    return { entity, ids, held: ctx.tx !== undefined && isMergeable(entity) && of.some(({ path }) => IN_A_LIST.test(path)) };
  });
  return { found, sought: sought.filter(({ ids }) => ids.size > 0), params: referable(ctx, { companyId, shared }) };
}

const aheadOf = ({ tx, em }: Context, sought: readonly SoughtEntity[], params: TenantParams): Along[] =>
  tx ? sought.flatMap(({ entity, ids, held }) => (held ? [] : findRowsAhead(em, entity, [...ids], params))) : [];

/** A path whose ids are kept in a list. */
const IN_A_LIST = /Ids$/;

/**
 * Keeps records from being merged until the end of the transaction, as a foreign key does for a single reference: nothing checks the ids in a list
 * when they are written. What another company shares cannot be locked.
 */
async function holdRows(em: Context['em'], entity: Function, ids: ReadonlySet<string>): Promise<void> {
  const { tableName } = em.getMetadata().get(entity as never);
  // Takes longer to plan than to run.
  const statement = namedStatement(`select 1 from "${tableName}" where id = any($1::uuid[]) order by id for key share`);
  await queryIn(em, statement, [[...ids]]);
}

interface Id {
  id: unknown;
  at: string;
}

/** The ids at a path, with the path of each. */
function idsAt(input: object, path: string): Id[] {
  let here: Id[] = [{ id: input, at: '' }];
  for (const step of path.split('.')) {
    here = here.flatMap(({ id, at }) => {
      const prefix = at && `${at}.`;
      if (step === '*') return Array.isArray(id) ? id.map((element, i) => ({ id: element, at: `${prefix}${i}` })) : [];
      return [{ id: (id as Record<string, unknown> | null | undefined)?.[step], at: prefix + step }];
    });
  }
  return here.flatMap(({ id, at }) => (Array.isArray(id) ? id.map((element, i) => ({ id: element, at: `${at}.${i}` })) : [{ id, at }]));
}

function valueAt(input: object, path: string): unknown {
  return path.includes('*')
    ? undefined
    : path.split('.').reduce<unknown>((value, step) => (value as Record<string, unknown> | null)?.[step], input);
}

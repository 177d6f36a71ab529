import type { EntityClass } from '@mikro-orm/core';
import { LockMode } from '@mikro-orm/core';
import type { Context, RecordPath, Viewer } from '../context.ts';
import type { Along } from '../database/connection/together.ts';
import { currentIds, isMergeable } from '../database/former-ids.ts';
import { namedStatement } from '../database/named-statements.ts';
import { findRows, findRowsAhead, foreseeRows } from '../database/rows.ts';
import { actOnBehalfOf } from '../database/scope.ts';
import { queryIn, throwAhead } from '../database/sql.ts';
import { type TenantParams, tenantParams } from '../database/tenant.ts';
import { Denied, type ErrorItem, Invalid, Missing, PreconditionFailed, Unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { modelOfClass } from '../model/about.ts';

/** The viewer of the request. @throws Unauthenticated with the reason when nobody is signed in */
export function viewerOf(ctx: Context): Viewer {
  if (!ctx.viewer) throw new Unauthenticated(ctx.authError ?? 'missing_token');
  return ctx.viewer;
}

/** Passes when the viewer has any of the permissions. @throws Unauthenticated, Denied */
export function allow(ctx: Context, ...permissions: [string, ...string[]]): Viewer {
  const viewer = viewerOf(ctx);
  if (!permissions.some((permission) => viewer.can(permission))) throw denial(viewer, permissions[0]);
  return viewer;
}

/** The error for a missing permission: it says whether the viewer has it for own records. */
export function denial(viewer: Viewer, permission: string): Denied {
  return new Denied(permission, viewer.can(`${permission}:own`) ? 'permission_for_own_records' : 'permission_missing');
}

/** The company an operation acts in: the given one when the viewer may see it, else the viewer's own. @throws Unauthenticated, Missing */
export function companyOf(ctx: Context, companyId?: string | null): string {
  const viewer = viewerOf(ctx);
  if (companyId === undefined || companyId === null) return viewer.companyId;
  const wanted = isUuid(companyId) ? companyId.toLowerCase() : '';
  if (!viewer.companyIds.includes(wanted)) throw new Missing();
  return wanted;
}

export interface FindOptions {
  /** From a company-scoped path: the record must belong (or be passed on) to this company. */
  companyId?: string | null;
  /** `select for update`; only inside `transact`. A record already locked there is returned with its pending changes. */
  lock?: boolean;
  /** Also what other companies share with it: to be read and used, not changed. */
  shared?: boolean;
  /**
   * Only what the viewer reads, also inside `transact`. There, records that are not their own are found by people limited to these, so that
   * a policy can say which permission is missing; a command that such people may use on any record sets it.
   */
  readable?: boolean;
}

/**
 * A record the viewer can see. For the id of a record that was merged it is the record that stayed.
 * @throws Unauthenticated, Missing (also for ids that are no uuid: they name nothing), PreconditionFailed
 */
export async function find<T extends { id: string }>(
  ctx: Context,
  entity: EntityClass<T>,
  id: string,
  options: FindOptions = {},
): Promise<T> {
  const viewer = viewerOf(ctx);
  const companyIds =
    options.companyId === undefined || options.companyId === null ? viewer.companyIds : [companyOf(ctx, options.companyId)];
  if (!isUuid(id)) throw new Missing();
  const params = readableBy(viewer, {
    companyIds,
    shared: options.shared,
    ...(ctx.tx && !options.readable ? { personId: undefined } : {}),
  });
  // Whoever says which state of the record they have seen acts on that one: nobody changes it between the comparison and the command.
  const expected = ctx.tx !== undefined && ctx.expects?.id === id.toLowerCase();
  const lock = (options.lock || expected) && !isLocked(ctx, entity, id);
  // `find`, because findOne answers from the identity map without the tenant filter. A lock rereads the row: lock before you change.
  const lockOptions = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } : {};
  const look = async (more: object) => {
    const rows = ctx.tx && (await findRows(ctx.em, entity, [id.toLowerCase()], params, more === lockOptions && lock));
    if (rows) return rows[0];
    return ((await ctx.em.find(entity, { id } as never, { filters: { tenant: params }, limit: 1, ...more } as never)) as T[])[0];
  };
  let found = await look(lockOptions);
  // What is not changed may be a record of others, which cannot be locked and is only used.
  if (!found && lock) found = options.lock ? await lockSubcontracted(look, lockOptions) : await look({});
  if (!found) {
    const current = isMergeable(entity) ? (await currentIds(ctx, [id])).get(id.toLowerCase()) : undefined;
    if (!current) throw new Missing();
    // What the client has seen under the former id is the record that answers for it.
    if (ctx.expects?.id === id.toLowerCase()) ctx.expects = { ...ctx.expects, id: current };
    return find(ctx, entity, current, options);
  }
  if (lock) {
    requireExpected(ctx, found);
    markLocked(ctx, entity, id);
  }
  return found;
}

/**
 * A `find` that a transaction will make soon, to be sent behind another statement (`askAhead`); nothing if it has to be looked for in another way.
 * @param ctx the transaction's, or the one in which it begins
 */
export function findAhead(
  ctx: Context,
  em: Context['em'],
  entity: EntityClass<{ id: string }>,
  { id, companyId }: RecordPath,
  lock: boolean,
): Along[] {
  const { viewer } = ctx;
  if (!viewer || !isUuid(id) || (companyId && !viewer.companyIds.includes(companyId.toLowerCase()))) return [];
  const companyIds = companyId ? [companyId.toLowerCase()] : viewer.companyIds;
  const locks = (lock || ctx.expects?.id === id.toLowerCase()) && !isLocked({ em }, entity, id);
  return findRowsAhead(em, entity, [id.toLowerCase()], readableBy(viewer, { companyIds, personId: undefined }), locks);
}

/**
 * Finds many records at once that the transaction will `find` one by one, each of which then asks nothing. Nothing of them may be changed in between.
 * @param ids as records have them, each as often as it will be looked for
 * @returns those that are there; undefined if they have to be looked for in another way
 */
export async function foreseeFinds<T extends { id: string }>(
  tx: Context,
  entity: EntityClass<T>,
  ids: readonly string[],
  { companyId, lock = false }: Pick<FindOptions, 'companyId' | 'lock'>,
): Promise<T[] | undefined> {
  const viewer = viewerOf(tx);
  const named = companyId?.toLowerCase();
  if (named && !viewer.companyIds.includes(named)) return undefined;
  return foreseeRows(
    tx.em,
    entity,
    ids,
    readableBy(viewer, { companyIds: named ? [named] : viewer.companyIds, personId: undefined }),
    lock,
  );
}

/** The same for a record that may be discarded. @throws Missing also for a discarded one */
export async function findKept<T extends { id: string; discardedAt?: Date | null }>(
  ctx: Context,
  entity: EntityClass<T>,
  id: string,
  options: FindOptions = {},
): Promise<T> {
  const found = await find(ctx, entity, id, options);
  if (found.discardedAt) throw new Missing();
  return found;
}

/** Milliseconds by which the same time may differ, because the database keeps it more exactly than answers have it. */
const SAME_TIME = 1;

/** @throws PreconditionFailed when the client has seen another state of the record */
function requireExpected({ expects }: Context, found: { id: string; version?: number; updatedAt?: Date }): void {
  if (expects?.id !== found.id) return;
  const { version, updatedAt } = expects;
  const later = updatedAt !== undefined && found.updatedAt ? Math.abs(found.updatedAt.getTime() - updatedAt) : 0;
  if ((version !== undefined && version !== found.version) || later > SAME_TIME) throw new PreconditionFailed();
}

/**
 * PostgreSQL locks only rows that the statement may write, not rows of other companies that it may only read. A viewer who sees a record
 * because work was passed on acts for its company from here to the end of the transaction. A record that belongs to no company is read and
 * not locked.
 */
async function lockSubcontracted<T extends object>(look: (more: object) => Promise<T | undefined>, lock: object): Promise<T | undefined> {
  const seen = await look({});
  const { company, companyId } = (seen ?? {}) as { company?: { id: string } | null; companyId?: string };
  const owner = company?.id ?? companyId;
  if (!owner) return seen;
  actOnBehalfOf(owner);
  return look(lock);
}

/** The parameters of the tenant filter for what the viewer reads in lists; inside a transaction `find` alone shows people limited to own records more. */
export const readableBy = (viewer: Viewer, more: Partial<TenantParams> = {}) => {
  const { siteIds, ownRecordsOnly, id } = viewer;
  const companyIds = more.companyIds ?? viewer.companyIds;
  return tenantParams({
    siteIds,
    personId: ownRecordsOnly ? id : undefined,
    ...more,
    companyIds,
    receivesWork: receivesIn(viewer, companyIds),
  });
};

/** Whether work may have been passed on to these companies of the viewer's: the whole family, or one of it. */
export function receivesIn({ receivesWork, receiversInFamily }: Viewer, companyIds: readonly string[]): boolean {
  return receivesWork || (companyIds.length === 1 && (receiversInFamily?.includes(companyIds[0]!) ?? false));
}

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
  /** What else is looked for in the message of the first of them (`referencesAhead`). */
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
  wishes: W,
  options: ReferenceOptions = {},
): Promise<{ [K in keyof W]: ResolvedReference<W[K]> }> {
  const { found, sought, params } = soughtIn(ctx, input, wishes, options);
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
    const missing = isMergeable(entity) ? [...ids].filter((id) => !known.has(id)) : [];
    const current = missing.length > 0 ? await currentIds(ctx, missing) : new Map<string, string>();
    if (current.size > 0) {
      const stayed = new Map((await look(new Set(current.values()))).map((row) => [row.id, row]));
      for (const [former, id] of current) if (stayed.has(id)) known.set(former, stayed.get(id)!);
    }
    records.set(entity, known);
  }

  const items: ErrorItem[] = [];
  const granted: Record<string, unknown> = {};
  for (const { name, entity, path, ids } of found) {
    const list = ids.map(({ id, at }) => {
      if (id === undefined || id === null) return id;
      const record = typeof id === 'string' ? records.get(entity)?.get(id.toLowerCase()) : undefined;
      if (!record)
        items.push({ model: options.model ?? modelOfClass(input.constructor), field: `${options.path ?? ''}${at}`, key: 'must_exist' });
      return record;
    });
    const value = valueAt(input, path);
    granted[name] = path.includes('*') || Array.isArray(value) ? list : list[0];
  }
  if (options.items) options.items.push(...items);
  else if (items.length > 0) throw new Invalid(items);
  return granted as { [K in keyof W]: ResolvedReference<W[K]> };
}

/**
 * The statements of `resolveReferences`, to be sent behind another statement of the transaction (`askAhead`): it then finds their rows there.
 * Nothing outside of a transaction.
 */
export const referencesAhead = (
  ctx: Context,
  input: object,
  wishes: Readonly<Record<string, ReferenceSpec>>,
  options: ReferenceOptions = {},
): Along[] => {
  const { sought, params } = soughtIn(ctx, input, wishes, options);
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

function soughtIn(ctx: Context, input: object, wishes: Readonly<Record<string, ReferenceSpec>>, { companyId, shared }: ReferenceOptions) {
  const found = Object.entries(wishes).map(([name, [entity, path]]) => ({ name, entity, path, ids: idsAt(input, path) }));
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

const locked = new WeakMap<object, Set<string>>();

function isLocked({ em }: Pick<Context, 'em'>, entity: Function, id: string): boolean {
  return locked.get(em)?.has(`${entity.name}:${id.toLowerCase()}`) ?? false;
}

function markLocked(ctx: Context, entity: Function, id: string): void {
  const names = locked.get(ctx.em) ?? new Set();
  locked.set(ctx.em, names.add(`${entity.name}:${id.toLowerCase()}`));
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

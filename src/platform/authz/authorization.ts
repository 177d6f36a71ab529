import type { EntityClass } from '@mikro-orm/core';
import { LockMode } from '@mikro-orm/core';
import type { Context, RecordPath, Viewer } from '../context.ts';
import type { Along } from '../database/connection/together.ts';
import { currentIds, isMergeable, leftOfMerges } from '../database/former-ids.ts';
import { findRows, findRowsAhead, foreseeRows } from '../database/rows.ts';
import { actOnBehalfOf } from '../database/scope.ts';
import { type TenantParams, tenantParams } from '../database/tenant.ts';
import { Denied, Missing, Unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { heldForOwn } from '../model/visibility.ts';
import { requireExpected } from './expected.ts';

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
    shown: true,
    ...(ctx.tx && !options.readable ? WHOEVER_OWNS : {}),
  });
  const known = isLocked(ctx, entity, id);
  const lock = (options.lock ?? false) && !known;
  // `find`, because findOne answers from the identity map without the tenant filter. A lock rereads the row: lock before you change.
  const lockOptions = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } : {};
  const look = async (more: object) => {
    const rows = ctx.tx && (await findRows(ctx.em, entity, [id.toLowerCase()], params, more === lockOptions && lock));
    if (rows) return rows[0];
    return ((await ctx.em.find(entity, { id } as never, { filters: { tenant: params }, limit: 1, ...more } as never)) as T[])[0];
  };
  let found = await look(lockOptions);
  if (!found && lock) found = await lockSubcontracted(look, lockOptions);
  if (!found) {
    const current = isMergeable(entity) ? (await currentIds(ctx, [id])).get(id.toLowerCase()) : undefined;
    if (!current) throw new Missing();
    // The version that the client has seen under the former id is that of the record that answers for it.
    if (ctx.expects?.id === id.toLowerCase()) ctx.expects = { ...ctx.expects, id: current };
    return find(ctx, entity, current, options);
  }
  // The row of a merged record is a discarded one under an id that nobody knows. Only an undo brings it back.
  const isDiscarded = isMergeable(entity) && 'discardedAt' in found && found.discardedAt;
  if (isDiscarded && (await leftOfMerges(ctx, [found.id])).size > 0) throw new Missing();
  // Whoever says which state of the record they have seen acts on that one.
  if (ctx.tx && !known) requireExpected(ctx, found, lock);
  if (lock) markLocked(ctx, entity, id);
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
  const locks = lock && !isLocked({ em }, entity, id);
  return findRowsAhead(em, entity, [id.toLowerCase()], readableBy(viewer, { companyIds, ...WHOEVER_OWNS, shown: true }), locks);
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
    readableBy(viewer, { companyIds: named ? [named] : viewer.companyIds, ...WHOEVER_OWNS, shown: true }),
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

/** What commands find that belongs to others. */
const WHOEVER_OWNS = { personId: undefined, forOwn: undefined } satisfies Partial<TenantParams>;

/** The parameters of the tenant filter for what the viewer reads in lists; inside a transaction `find` alone shows people limited to own records more. */
export const readableBy = (viewer: Viewer, more: Partial<TenantParams> = {}) => {
  const { siteIds, ownRecordsOnly, id } = viewer;
  const companyIds = more.companyIds ?? viewer.companyIds;
  const permissions = heldForOwn((permission) => viewer.can(permission));
  return tenantParams({
    siteIds,
    personId: ownRecordsOnly ? id : undefined,
    forOwn: permissions.length > 0 ? { personId: id, permissions } : undefined,
    ...more,
    companyIds,
    receivesWork: receivesIn(viewer, companyIds),
  });
};

/** Whether work may have been passed on to these companies of the viewer's: the whole family, or one of it. */
export function receivesIn({ receivesWork, receiversInFamily }: Viewer, companyIds: readonly string[]): boolean {
  return receivesWork || (companyIds.length === 1 && (receiversInFamily?.includes(companyIds[0]!) ?? false));
}

const locked = new WeakMap<object, Set<string>>();

/** Whether the transaction has locked a record by `find`. */
export function isLocked({ em }: Pick<Context, 'em'>, entity: Function, id: string): boolean {
  return locked.get(em)?.has(`${entity.name}:${id.toLowerCase()}`) ?? false;
}

function markLocked(ctx: Context, entity: Function, id: string): void {
  const names = locked.get(ctx.em) ?? new Set();
  locked.set(ctx.em, names.add(`${entity.name}:${id.toLowerCase()}`));
}

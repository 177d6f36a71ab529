import { type EntityManager, type EntityMetadata, type FilterDef, raw } from '@mikro-orm/core';
import { isUuid } from '../ids.ts';
import { readSpecOf } from '../model/decorators.ts';
import { limitsOn } from '../model/limits.ts';
import { companiesLiteral } from './scope.ts';

/** The parameters of the tenant filter for one request. */
export interface TenantParams {
  /** The viewer's company and all below it, or the one company of a scoped path. */
  companyIds: readonly string[];
  /** False spares the joins of passed-on work. */
  receivesWork: boolean;
  /** Also what other companies share with them (`shared` of an entity's access). */
  shared?: boolean;
  /** Sites the work must be at; absent without limits. */
  siteIds?: readonly string[];
  /** The person who must be the owner of the records, for a viewer who reads only their own. */
  personId?: string;
  /** The viewer, who must be the owner of the rows of entities that they read by these permissions (`allBy`), which they have for own records alone. */
  forOwn?: { personId: string; permissions: readonly string[] };
  /** Only rows that clients read (`shown` of an entity's access): for records that a client names as what to change. */
  shown?: boolean;
}

/** @param companies the value with which a column of company ids is compared */
export type TenantCondition = (companies: object | string) => object;
const scopes = new Map<string, TenantCondition>();

/**
 * Declares how an entity belongs to companies if it has neither `company` nor `companyId`, such as Company itself. Work that is passed on
 * along vendor chains is declared in the entity's access as `subcontracted`, for the read planner and for this filter.
 */
export function tenantScope(entity: string, own: TenantCondition): void {
  scopes.set(entity, own);
}

/**
 * The tenant filter of MikroORM's `find`s, for every entity with a `company` or `companyId`. It is on by default and fails closed: without
 * parameters every query of such an entity throws. System code names its company, or writes `filters: { tenant: false }` where it can be
 * seen. The query builder and raw statements are not filtered: they must contain the predicate.
 */
export const tenantFilter: FilterDef & { name: string } = {
  name: 'tenant',
  default: true,
  args: false,
  cond(
    args: Partial<TenantParams> | undefined,
    type: 'read' | 'update' | 'delete',
    em: EntityManager,
    _options: unknown,
    entityName?: string,
  ) {
    const name = String(entityName);
    const meta = em.getMetadata().getByClassName(name as never);
    const own = scopes.get(name) ?? ownByColumn(meta.properties as Record<string, unknown>);
    if (!own) return {};
    if (!args?.companyIds) throw new Error(`tenant fence: ${name} was queried without companies`);
    const visible = own(args.companyIds.length === 1 ? args.companyIds[0]! : raw('any(?::uuid[])', [companiesLiteral(args.companyIds)]));
    const entity = meta.class as Function;
    const { tenant, atSites, ofPerson, allBy, shown } = type === 'read' ? readSpecOf(entity) : {};
    const others = [args.receivesWork ? tenant?.subcontracted : undefined, args.shared ? tenant?.shared : undefined].filter(
      (one) => one !== undefined,
    );
    const seen =
      others.length === 0 ? visible : { $or: [visible, ...others.map((other) => othersOf(other, companiesLiteral(args.companyIds!)))] };
    const { siteIds } = args;
    const personId = ownerOf(args, allBy);
    if (!(atSites && siteIds) && !(ofPerson && personId) && !(shown && args.shown)) return seen;
    const limits = {
      sites: siteIds && (() => uuids([...siteIds])),
      person: personId === undefined ? undefined : () => `(${uuids([personId])})[1]`,
    };
    return { $and: [seen, { [raw((alias) => limitsOn(entity, `"${alias}"`, limits).join(' and '))]: [] }] };
  },
};

/**
 * The filter as SQL for rows `t` whose companies are `$2`; undefined if it limits the rows to sites or persons, or belongs to the entity in a
 * way of its own.
 */
export function tenantSql(meta: EntityMetadata, t: string, params: TenantParams): { sql: string; value: unknown } | undefined {
  const { companyIds, receivesWork, shared, siteIds } = params;
  const { tenant, atSites, ofPerson, allBy, shown } = readSpecOf(meta.class as Function);
  const { company, companyId } = meta.properties as Record<string, { fieldNames: string[] } | undefined>;
  const column = (company ?? companyId)?.fieldNames[0];
  if (!column || scopes.has(meta.className) || (atSites && siteIds) || (ofPerson && ownerOf(params, allBy))) return undefined;
  const others = [receivesWork ? tenant?.subcontracted : undefined, shared ? tenant?.shared : undefined].filter((one) => one !== undefined);
  const also = shown && params.shown ? ` and ${shown(t)}` : '';
  if (others.length === 0 && companyIds.length === 1) return { sql: `${t}.${column} = $2${also}`, value: companyIds[0] };
  const seen = [`${t}.${column} = any($2::uuid[])`, ...others.map((other) => other(t, '$2::uuid[]'))];
  return { sql: `(${seen.join(' or ')})${also}`, value: companyIds };
}

/** Sets the companies that one EntityManager (a fork for each request or job) may see. */
export function setTenant(em: EntityManager, params: TenantParams): void {
  em.setFilterParams('tenant', tenantParams(params));
}

/** Parameters in the plain form the filter reads. */
export function tenantParams({ companyIds, receivesWork, shared = false, siteIds, personId, forOwn, shown }: TenantParams): TenantParams {
  return {
    companyIds,
    receivesWork,
    shared,
    ...(siteIds ? { siteIds: [...siteIds] } : {}),
    ...(personId ? { personId } : {}),
    ...(forOwn ? { forOwn } : {}),
    ...(shown ? { shown } : {}),
  };
}

/** The person who must be the owner of the rows of an entity. @param allBy the permission by which all of its rows are read */
const ownerOf = ({ personId, forOwn }: Pick<TenantParams, 'personId' | 'forOwn'>, allBy: string | undefined): string | undefined =>
  personId ?? (allBy !== undefined && forOwn?.permissions.includes(allBy) ? forOwn.personId : undefined);

function ownByColumn(properties: Record<string, unknown>): TenantCondition | undefined {
  const column = properties.company ? 'company' : properties.companyId ? 'companyId' : undefined;
  // One company compares by equality, so that the index (company_id, created_at, id) serves pages in order.
  return column && ((companies) => ({ [column]: companies }));
}

/** The tenant predicate with the companies as one value wherever it uses them. */
function othersOf(other: (t: string, p: string) => string, companies: string): object {
  const times = other('t', '?').split('?').length - 1;
  return { [raw((alias) => other(`"${alias}"`, '?::uuid[]'), Array(times).fill(companies))]: [] };
}

/** A uuid[] literal; anything that is no uuid is left out, so nothing else can get into the statement. */
function uuids(ids: string[]): string {
  return `'{${ids.filter(isUuid).join(',')}}'::uuid[]`;
}

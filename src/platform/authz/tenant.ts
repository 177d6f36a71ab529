import type { EntityManager, FilterDef } from '@mikro-orm/core';

/** What the tenant filter is told per request. */
export interface TenantParams {
  /** Own company and descendants, or the one company of a scoped path. */
  companyIds: readonly string[];
  /** False spares the joins of passed-on work. */
  receivesWork: boolean;
}

/** How an entity belongs to companies, when it is not simply by its `company` or `companyId`. */
export interface TenantScope {
  /** Rows that belong to one of the companies. */
  own?: (companyIds: string[]) => object;
  /** Rows of other companies that were passed on to one of these (vendor chains): read only here, added with `or`. */
  passedOn?: (companyIds: string[]) => object;
}

const scopes = new Map<string, TenantScope>();

/**
 * Declares how an entity belongs to companies. Rooms call it beside their entities:
 * `tenantScope('Job', { passedOn: (ids) => ({ assignments: { vendorCompany: { $in: ids } } }) })`.
 */
export function tenantScope(entity: string, scope: TenantScope): void {
  scopes.set(entity, { ...scopes.get(entity), ...scope });
}

export function tenantScopeOf(entity: string): TenantScope | undefined {
  return scopes.get(entity);
}

/**
 * The visibility fence of MikroORM's `find`s: for every entity with a `company` or `companyId`, on by default. It fails closed: without
 * parameters every query of such an entity throws. System code names its company, or says `filters: { tenant: false }` in view.
 * Query builder and raw statements are not reached: they carry the predicate themselves.
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
    const scope = scopes.get(name);
    const own = scope?.own ?? ownByColumn(em, name);
    if (!own) return {};
    if (!args?.companyIds) throw new Error(`tenant fence: ${name} was queried without companies`);
    const ids = [...args.companyIds];
    const mine = own(ids);
    return args.receivesWork && scope?.passedOn && type === 'read' ? { $or: [mine, scope.passedOn(ids)] } : mine;
  },
};

/** Opens the fence of one EntityManager (a fork per request or job) to these companies. */
export function setTenant(em: EntityManager, params: TenantParams): void {
  em.setFilterParams('tenant', tenantParams(params));
}

/** Parameters in the plain form the filter reads. */
export function tenantParams(params: TenantParams): { companyIds: string[]; receivesWork: boolean } {
  return { companyIds: [...params.companyIds], receivesWork: params.receivesWork };
}

function ownByColumn(em: EntityManager, entity: string): TenantScope['own'] {
  const properties = em.getMetadata().getByClassName(entity as never).properties as Record<string, unknown>;
  const column = properties.company ? 'company' : properties.companyId ? 'companyId' : undefined;
  // One company compares by equality, so that the index (company_id, created_at, id) serves pages in order.
  return column && ((ids) => ({ [column]: ids.length === 1 ? ids[0] : { $in: ids } }));
}

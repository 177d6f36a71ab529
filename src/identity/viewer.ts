import type { EntityManager } from '@mikro-orm/postgresql';
import type { Viewer } from '../platform/context.ts';
import { Unauthenticated } from '../platform/errors.ts';
import { grantsOf } from './matrix.ts';
import type { Grant } from './permissions.ts';
import { identitySettings } from './settings.ts';
import { type Claims, verifyToken } from './tokens.ts';

/** A viewer that can also name what it may do, for `GET /v1/users/me/iam_permissions`. */
export interface IdentifiedViewer extends Viewer {
  readonly grants: ReadonlySet<string>;
  /** The session a person came with; machines have none. */
  readonly sessionId?: string;
}

interface Row {
  id: string;
  name: string;
  company_id: string;
  roles: string[] | null;
  permissions: Grant[] | null;
  /** What the own company lets its roles do beyond the matrix. */
  toggles: string[];
  company_ids: string[];
  receives_work: boolean;
}

const MOST = 10_000;
const caches = new WeakMap<object, Map<string, { row: Row; until: number }>>();
let generation = 0;

/** Who a token stands for, with companies and permissions as they are now (at most `viewerCacheMs` ago). @throws Unauthenticated */
export async function viewerFromToken(em: EntityManager, token: string): Promise<IdentifiedViewer> {
  const claims = await verifyToken(em, token);
  // A session token that names no session could never be revoked.
  const row = claims.tokenUse === 'session' && !claims.sessionId ? undefined : await load(em, claims);
  if (!row) throw new Unauthenticated('invalid_token');
  return toViewer(row, claims);
}

/** Drops remembered viewers of this process. Commands that change roles, companies or clients call it in `afterCommit`. */
export function forgetViewers(): void {
  generation++;
}

async function load(em: EntityManager, claims: Claims): Promise<Row | undefined> {
  const key = `${generation}:${claims.sessionId ?? claims.subject}`;
  const cache = caches.get(em.getDriver()) ?? new Map<string, { row: Row; until: number }>();
  caches.set(em.getDriver(), cache);
  const known = cache.get(key);
  if (known && known.until > Date.now()) return known.row;
  const [row] = await em
    .getConnection()
    .execute<Row[]>(
      claims.tokenUse === 'session' ? USER : CLIENT,
      claims.sessionId ? [claims.sessionId, claims.subject] : [claims.subject],
      'all',
      em.getTransactionContext(),
    );
  if (cache.size >= MOST) cache.clear();
  if (row) cache.set(key, { row, until: Date.now() + identitySettings().viewerCacheMs });
  else cache.delete(key);
  return row;
}

const viewers = new WeakMap<Row, Map<string, IdentifiedViewer>>();

/** The viewer of a row and a scope; made once for as long as the row is remembered, for a client's permissions are a long list. */
function toViewer(row: Row, claims: Claims): IdentifiedViewer {
  const made = viewers.get(row) ?? new Map<string, IdentifiedViewer>();
  viewers.set(row, made);
  const scope = claims.scope?.join(' ') ?? '*';
  const viewer = made.get(scope) ?? makeViewer(row, claims);
  made.set(scope, viewer);
  return viewer;
}

function makeViewer(row: Row, claims: Claims): IdentifiedViewer {
  const roles = row.roles ?? [];
  // A person has what the built-in roles grant and what the company's own roles list; a client what it was given.
  const held: ReadonlySet<string> = new Set([...grantsOf(roles, row.toggles), ...(row.permissions ?? [])]);
  // A scope narrows what the client has today; it never restores what was taken from it since.
  const grants = claims.scope ? new Set(claims.scope.filter((name) => held.has(name))) : held;
  return {
    type: claims.tokenUse === 'session' ? 'User' : 'M2MClient',
    id: row.id,
    name: row.name,
    companyId: row.company_id,
    companyIds: row.company_ids,
    receivesWork: row.receives_work,
    roles,
    grants,
    sessionId: claims.sessionId,
    can: (permission) => grants.has(permission),
  };
}

/**
 * Own company first, then all descendants; `union` ends even on a circle. A platform administrator sees every company.
 * Work can only be passed to a company that another one has as a connected vendor.
 */
const SCOPE = (principal: string) => `with recursive principal as (${principal}),
  family (id) as (
    select company_id from principal
    union
    select c.id from company c join family f on c.parent_company_id = f.id where c.discarded_at is null),
  visible (id) as (
    select id from family
    union
    select c.id from company c where c.discarded_at is null and (select 'platform_admin' = any(roles) from principal))
  select p.id, p.name, p.company_id, p.roles, p.permissions, p.toggles,
    (select coalesce(array_agg(v.id order by (v.id = p.company_id) desc, v.id), '{}') from visible v) as company_ids,
    exists (
      select 1 from account a
      where a.connected_company_id in (select id from visible) and 'vendor' = any(a.account_types)
        and a.company_id not in (select id from visible)) as receives_work
  from principal p`;

const USER =
  SCOPE(`select u.id, trim(u.first_name || ' ' || u.last_name) as name, u.company_id, u.roles::text[] as roles, c.permission_toggles as toggles,
    (select array_agg(g) from iam_role r, unnest(r.grants) g where r.id = any(u.custom_role_ids) and r.company_id = u.company_id) as permissions
  from app_user u join company c on c.id = u.company_id
    join user_session s on s.user_id = u.id and s.id = ? and s.revoked_at is null and s.ends_at > now()
  where u.id = ? and u.discarded_at is null and c.discarded_at is null`);
const CLIENT = SCOPE(`select m.id, m.name, m.company_id, '{}'::text[] as roles, m.permissions, '{}'::text[] as toggles
  from machine_client m join company c on c.id = m.company_id
  where m.id = ? and m.discarded_at is null and c.discarded_at is null`);

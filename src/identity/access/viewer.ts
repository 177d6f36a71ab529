import type { EntityManager } from '@mikro-orm/postgresql';
import { signsInBy } from '../../directory/people/proven-addresses.ts';
import { type InApplication, perApplication } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce } from '../../platform/database/planned-once.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { identitySettings } from '../settings.ts';
import { type ExternalClaims, externalIssuerOf, verifyExternal } from '../tokens/external-issuer.ts';
import { type Claims, type TokenUse, verifyToken } from '../tokens/tokens.ts';
import { grantsOf } from './matrix.ts';
import type { Grant, RoleName } from './permissions.ts';
import { outranks } from './powers.ts';

/** A viewer that can also name what it may do, for `GET /v1/users/me/iam_permissions`. */
export interface IdentifiedViewer extends Viewer {
  readonly grants: ReadonlySet<string>;
  /** The session a person came with; machines have none. */
  readonly sessionId?: string;
  /** Acts inside a company that theirs manages: for its work, but not for its administration. */
  readonly actsAsManager?: boolean;
  /** The impersonation somebody came with. */
  readonly impersonationId?: string;
}

interface Row {
  id: string;
  name: string;
  company_id: string;
  roles: string[] | null;
  permissions: Grant[] | null;
  /** Permissions that the viewer's company adds to its roles beyond the matrix. */
  toggles: string[];
  /** Null without limits. */
  site_ids: string[] | null;
  /** Some role of the company's own shows them everything. */
  reads_all: boolean;
  company_ids: string[];
  receives_work: boolean;
  receivers_in_family: string[];
  has_merged: boolean;
  /** The person who acts as this person. */
  actor?: Actor;
}
type Actor = NonNullable<Viewer['realActor']>;

const MOST = 10_000;
const memory = perApplication('remembered viewers', () => ({
  rows: new Map<string, { row: Row; until: number }>(),
  /** Queries under way: concurrent requests share them, like requests within `viewerCacheMs`. */
  underWay: new Map<string, Promise<Row | undefined>>(),
  /** Part of the keys: what was asked before viewers were forgotten is not found afterwards. */
  generation: 0,
}));

/** The viewer of a token, with companies and permissions as they are now (at most `viewerCacheMs` ago). @throws Unauthenticated */
export async function viewerFromToken(em: EntityManager, token: string): Promise<IdentifiedViewer> {
  const external = externalIssuerOf(em, token);
  if (external) return externalViewer(em, await verifyExternal(em, token, external));
  const claims = await verifyToken(em, token);
  const { subject, sessionId } = claims;
  // A session token that names no session could never be revoked.
  if (claims.tokenUse !== 'machine' && !sessionId) throw new Unauthenticated('invalid_token');
  const row = await rowOf(em, claims.tokenUse, subject, sessionId ?? '');
  if (!row) throw new Unauthenticated('invalid_token');
  return toViewer(row, claims);
}

/** Somebody who asked for something that is done later: who, and what they were allowed when they asked. */
export interface RememberedActor {
  type: Viewer['type'];
  id: string;
  grants: string[];
  realActor?: Actor;
}

/** The part of a viewer to keep, so that `viewerOfRemembered` finds them again. */
export function remembered(viewer: Viewer): RememberedActor {
  const { type, id, realActor } = viewer;
  return { type, id, grants: [...(viewer as IdentifiedViewer).grants], ...(realActor ? { realActor } : {}) };
}

/**
 * A person as they are now, with no more permissions than when they made the request. Their sessions may have ended since. For people and
 * clients who may no longer act, also as that person, and for companies that are gone, it is undefined.
 */
export async function viewerOfRemembered(em: EntityManager, actor: RememberedActor): Promise<IdentifiedViewer | undefined> {
  const row =
    actor.type === 'M2MClient' ? await load(em, actor.id, CLIENT, [actor.id]) : await load(em, `person ${actor.id}`, PERSON, [actor.id]);
  const use = actor.type === 'M2MClient' ? 'machine' : actor.type === 'Impersonation' ? 'impersonation' : 'session';
  const { realActor } = actor;
  if (!row || (realActor && !(await mayActAsNow(em, realActor, row)))) return undefined;
  return toViewer(realActor ? { ...row, actor: realActor } : row, { tokenUse: use, scope: actor.grants });
}

/**
 * A viewer in nobody's name who sees what an administrator of the company does: for what is sent to the company itself. Undefined for a company
 * that is gone.
 */
export async function viewerOfCompany(em: EntityManager, companyId: string): Promise<IdentifiedViewer | undefined> {
  const row = await load(em, `company ${companyId}`, COMPANY, [companyId]);
  return row && toViewer(row, { tokenUse: 'machine' });
}

/** Drops remembered viewers of this application. Commands that change roles, companies or clients call it in `afterCommit`. */
export function forgetViewers(application: InApplication): void {
  memory.of(application).generation++;
}

function rowOf(em: EntityManager, use: TokenUse, subject: string, sessionId: string): Promise<Row | undefined> {
  if (use === 'machine') return load(em, subject, CLIENT, [subject]);
  if (use === 'session') return load(em, `${sessionId} ${subject}`, USER, [sessionId, subject]);
  return impersonated(em, subject, sessionId);
}

/** A person somebody acts as, for as long as that somebody may: permission and company as they are now. */
async function impersonated(em: EntityManager, subject: string, id: string): Promise<Row | undefined> {
  const [actor] = await queryOf<Actor>({ em, tx: em.getTransactionContext() }, ACTOR, [id, subject]);
  const person = actor && (await load(em, `person ${subject}`, PERSON, [subject]));
  return person && (await mayActAsNow(em, actor!, person)) ? { ...person, actor: actor! } : undefined;
}

/** Whether somebody may act as a person: permission, company and powers as they are now. */
async function mayActAsNow(em: EntityManager, actor: Actor, person: Row): Promise<boolean> {
  const acting =
    actor.type === 'User' ? await load(em, `person ${actor.id}`, PERSON, [actor.id]) : await load(em, actor.id, CLIENT, [actor.id]);
  if (!acting?.company_ids.includes(person.company_id)) return false;
  return heldBy(acting).has('impersonate') && !outranks(person, heldBy(acting), acting);
}

/** The viewer whom the deployment's own identity provider names: the same people and clients, without a session of ours. */
async function externalViewer(em: EntityManager, { names, scope }: ExternalClaims): Promise<IdentifiedViewer> {
  const row =
    'email' in names
      ? await load(em, `email ${names.email}`, EXTERNAL_USER, [names.email])
      : await load(em, `client ${names.clientId}`, EXTERNAL_CLIENT, [names.clientId]);
  if (!row) throw new Unauthenticated('invalid_token');
  return toViewer(row, { tokenUse: 'email' in names ? 'session' : 'machine', scope });
}

/** The row of a query, remembered under a key that names whom it finds. */
async function load(em: EntityManager, name: string, query: string, parameters: string[]): Promise<Row | undefined> {
  // PostgreSQL has no texts with a NUL, and nobody is called so.
  if (name.includes('\0')) return undefined;
  const { rows, underWay, generation } = memory.of(em);
  const key = `${generation}:${name}`;
  const known = rows.get(key);
  if (known && known.until > Date.now()) return known.row;
  const { viewerCacheMs } = identitySettings.of(em);
  const ask = async () => {
    const [row] = await queryOf<Row>({ em, tx: em.getTransactionContext() }, query, parameters);
    if (rows.size >= MOST) rows.clear();
    if (row) rows.set(key, { row, until: Date.now() + viewerCacheMs });
    else rows.delete(key);
    return row;
  };
  // A transaction sees what no other request does.
  if (viewerCacheMs === 0 || em.isInTransaction()) return ask();
  const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
  underWay.set(key, asked);
  return asked;
}

/** The part of a token that makes a viewer. */
type Bearer = Pick<Claims, 'tokenUse' | 'scope' | 'sessionId'>;
const viewers = new WeakMap<Row, Map<string, IdentifiedViewer>>();

/** The viewer of a row and a scope; made once for as long as the row is remembered, for a client's permissions are a long list. */
function toViewer(row: Row, claims: Bearer): IdentifiedViewer {
  const made = viewers.get(row) ?? new Map<string, IdentifiedViewer>();
  viewers.set(row, made);
  const scope = claims.scope?.join(' ') ?? '*';
  const viewer = made.get(scope) ?? makeViewer(row, claims);
  made.set(scope, viewer);
  return viewer;
}

function makeViewer(row: Row, claims: Bearer): IdentifiedViewer {
  const roles = row.roles ?? [];
  const held = heldBy(row);
  // Nobody acts as somebody through a third person.
  if (row.actor) held.delete('impersonate');
  // A scope narrows what the client has today; it never restores what was taken from it since.
  const grants = claims.scope ? new Set(claims.scope.filter((name) => held.has(name))) : held;
  return {
    type: TYPES[claims.tokenUse],
    id: row.id,
    name: row.name,
    companyId: row.company_id,
    companyIds: row.company_ids,
    receivesWork: row.receives_work,
    receiversInFamily: row.receivers_in_family,
    ...(row.has_merged ? { hasMerged: true } : {}),
    ...(row.site_ids ? { siteIds: row.site_ids } : {}),
    ...(readsOwnRecordsOnly(row, claims) ? { ownRecordsOnly: true } : {}),
    roles,
    grants,
    ...(row.actor ? { realActor: row.actor, impersonationId: claims.sessionId } : { sessionId: claims.sessionId }),
    can: (permission) => grants.has(permission),
  };
}

const TYPES: Record<TokenUse, Viewer['type']> = { session: 'User', machine: 'M2MClient', impersonation: 'Impersonation' };

/** Roles that work on their own records (DOMAIN section 2: a foreman's own orders, a driver's own jobs) read nobody else's. */
const OWN_RECORDS: ReadonlySet<string> = new Set(['foreman', 'driver'] satisfies RoleName[]);

/** Whether a person sees only own records: neither a built-in role nor one of the company shows more. */
function readsOwnRecordsOnly(row: Row, { tokenUse }: Bearer): boolean {
  return tokenUse !== 'machine' && !row.reads_all && (row.roles ?? []).every((role) => OWN_RECORDS.has(role));
}

/** Returns the permissions of a person, from built-in roles and the company's own roles; or of a client, from its scopes. */
function heldBy(row: Row): Set<string> {
  return new Set([...grantsOf(row.roles ?? [], row.toggles), ...(row.permissions ?? [])]);
}

/** Whether account `a` is one to which its company passes work, or once did. */
const PASSES_WORK = `('vendor' = any(a.account_types) or exists (select 1 from job_assignment l
  where l.vendor_company_id = a.connected_company_id and l.customer_company_id = a.company_id))`;

/**
 * The viewer's company first, then all below it; `union` ends even on a circle. A platform administrator sees every company but sandboxes. Work can only
 * be passed to a company that another one has as a connected vendor, or had: it still sees what it received. Work that is passed within the
 * family belongs to the viewer among all of its companies, and was passed on inside of the one that received it.
 */
const SCOPE = (principal: string) =>
  forAnybody(`with recursive principal as (${principal}),
  family (id) as (
    select company_id from principal
    union
    select c.id from company c join family f on c.parent_company_id = f.id where c.discarded_at is null),
  visible (id) as (
    select id from family
    union
    select c.id from company c where c.discarded_at is null and not is_sandbox(c.id)
      and (select 'platform_admin' = any(roles) and not is_sandbox(company_id) from principal))
  select p.id, p.name, p.company_id, p.roles, p.permissions, p.toggles, p.site_ids, p.reads_all,
    (select coalesce(array_agg(v.id order by (v.id = p.company_id) desc, v.id), '{}') from visible v) as company_ids,
    exists (
      select 1 from account a
      where a.connected_company_id in (select id from visible) and a.company_id not in (select id from visible) and ${PASSES_WORK}) as receives_work,
    case when (select count(*) from visible) > 1 then array(
      select distinct a.connected_company_id from account a
      where a.connected_company_id in (select id from visible) and a.company_id in (select id from visible)
        and a.company_id <> a.connected_company_id and ${PASSES_WORK}) else '{}' end as receivers_in_family,
    exists (select 1 from merged_record m where m.company_id in (select id from visible)) as has_merged
  from principal p`);

/** It is found by its key, and takes longer to plan than to run. */
function forAnybody(sql: string): string {
  planOnce(sql);
  return namedStatement(sql);
}

/** Nobody administers the platform from within a sandbox. */
const ROLES = `case when is_sandbox(u.company_id) then array_remove(u.roles::text[], 'platform_admin') else u.roles::text[] end`;

/** @param open when the person may act */
const USER_OF = (open: string) =>
  SCOPE(`select u.id, trim(u.first_name || ' ' || u.last_name) as name, u.company_id, ${ROLES} as roles, c.permission_toggles as toggles,
    (select array_agg(x.site_id) from resource_scope x where x.user_id = u.id) as site_ids,
    (select array_agg(g) from iam_role r, unnest(r.grants) g where r.id = any(u.custom_role_ids) and r.company_id = u.company_id) as permissions,
    exists (select 1 from iam_role r where r.id = any(u.custom_role_ids) and r.company_id = u.company_id
      and (r.grants = '{}' or exists (select 1 from unnest(r.grants) g where g not like '%:own'))) as reads_all
  from app_user u join company c on c.id = u.company_id
  ${open} and u.discarded_at is null and c.discarded_at is null`);
const USER = USER_OF(
  'join user_session s on s.user_id = u.id and s.id = $1 and s.revoked_at is null and s.ends_at > now() where u.id = $2',
);
const PERSON = USER_OF('where u.id = $1');
const ACTOR = `select actor_type as type, actor_id as id, actor_name as name from impersonation
  where id = $1 and user_id = $2 and ended_at is null and expires_at > now()`;
// Were two people to share an address, the older record acts; whom only a payload named nobody has let in. The issuer vouches in every
// company, so also for an address that another company entered: that is good for the first sign-in only.
const EXTERNAL_USER = USER_OF(`where u.id = (
    select o.id from app_user o join company k on k.id = o.company_id
    where o.match_email = $1 and o.discarded_at is null and not o.unclaimed and ${signsInBy('o', 'email')} and k.discarded_at is null
    order by o.created_at, o.id limit 1)`);
const CLIENT_BY = (column: string) =>
  SCOPE(`select m.id, m.name, m.company_id, '{}'::text[] as roles, m.permissions, '{}'::text[] as toggles, null::uuid[] as site_ids, true as reads_all
  from machine_client m join company c on c.id = m.company_id
  where m.${column} = $1 and m.discarded_at is null and c.discarded_at is null`);
const CLIENT = CLIENT_BY('id');
const EXTERNAL_CLIENT = CLIENT_BY('external_client_id');
const COMPANY =
  SCOPE(`select c.id, c.legal_name as name, c.id as company_id, '{company_admin}'::text[] as roles, null::text[] as permissions,
    c.permission_toggles as toggles, null::uuid[] as site_ids, true as reads_all
  from company c where c.id = $1 and c.discarded_at is null`);

import { createHash } from 'node:crypto';
import type { EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { readSpecOf } from '../model/decorators.ts';
import { PUBLISHER } from './published.ts';
import { APP_ROLE } from './roles.ts';
import { allPurposes, isReserved, type Privilege } from './scope.ts';

type Condition = (t: string, companies: string) => string;

/** Rows whose column is in the result of a subquery, which is evaluated only if a row of another company is met. */
export interface IdSubquery {
  column: string;
  ids: (companies: string) => string;
}

/** Rows for which a query finds something that the reader sees. */
export interface RowQuery {
  column: string;
  /** @param id place of the column's value */
  exists: (id: string) => string;
}

/** The companies of a table's rows, if `company_id` does not say them, or not completely. */
export interface RowPolicy {
  /** Rows that a company reads and writes. */
  writable?: Condition;
  /** Rows of other companies that may be read, as long as the condition holds. */
  readable?: Condition | IdSubquery | RowQuery;
  /**
   * The same as `subcontracted` and `shared` of the access, in a form that costs nothing for rows of the reader's
   * companies.
   */
  subcontracted?: IdSubquery;
  shared?: IdSubquery;
}
const rowPolicies = new Map<Function | string, RowPolicy>();

/** Declares the row policy of an entity's table, or of a table. A table with only a `company_id` needs none. */
export function defineRowPolicy(of: Function | string, belonging: RowPolicy): void {
  rowPolicies.set(of, { ...rowPolicies.get(of), ...belonging });
}

const SCOPE = "nullif(current_setting('app.company_ids', true), '')::uuid[]";
/** The companies of the running statement. The outer cast and the sub-select make PostgreSQL ask once, and keep it an array. */
const COMPANIES = `(select ${SCOPE})::uuid[]`;
/**
 * PostgreSQL evaluates policies from the last name to the first, and when one holds it skips the others. So the policy for rows of the
 * reader's companies has the last name, and the one for rows of partners in work, which remembers them, the name before it.
 */
const TENANT_ISOLATION = 'tenant_isolation';
const PARTNERS = 'taking_part';

interface Table {
  name: string;
  has_company: boolean;
  fingerprint: string | null;
  forced: boolean;
  /** Its policies by name. */
  policies: string[];
}

/** A table whose policies are not those that are declared. */
export interface Outdated {
  table: string;
  /** It has none yet: nobody uses it, and nobody may before it has them. */
  isNew: boolean;
  /** The statements that make them so, in this order. */
  statements: readonly string[];
}

/**
 * Finds the tables without the row-level security that is declared: every table with a `company_id`, those with a row policy, and those reserved for
 * purposes have it, ENABLE and FORCE, so that it binds the owner too. The policies are derived from the declarations of the entities. Rows of the
 * viewer's companies are read and written. Work that was passed on, and the names of partners in work, are only read.
 * @param bounds the condition on rows of each table that logins of companies read
 */
export async function findOutdatedPolicies(
  em: EntityManager,
  metadata: MetadataStorage,
  bounds: Readonly<Record<string, string>> = {},
): Promise<Outdated[]> {
  const roles = new Set(
    (await em.execute<{ rolname: string }[]>("select rolname from pg_roles where rolname like 'haulgate\\_%'")).map((r) => r.rolname),
  );
  const named = namedInWork(metadata);
  const tableOf = (of: Function | string) => (typeof of === 'string' ? of : metadata.find(of as never)?.tableName);
  const policies = new Map([...rowPolicies].map(([of, policy]) => [tableOf(of), policy]));
  return (await tables(em)).flatMap((table) => {
    const belonging = policies.get(table.name);
    if (!table.has_company && !belonging && !isReserved(table.name)) return [];
    const made = policiesOf(table, belonging, named, roles).concat(boundOf(table.name, bounds));
    const expected = createHash('sha256').update(made.join('\n')).digest('hex');
    // A dump that was restored without its roles has the fingerprint, and not the policies of these roles.
    const isWhole = made.flatMap((one) => NAMED.exec(one)?.[1] ?? []).every((name) => table.policies.includes(name));
    if (table.fingerprint === expected && table.forced && isWhole) return [];
    const t = `"${table.name}"`;
    const statements = [
      ...table.policies.map((name) => `drop policy "${name}" on ${t}`),
      ...made,
      `comment on policy ${TENANT_ISOLATION} on ${t} is '${expected}'`,
      `alter table ${t} enable row level security, force row level security`,
    ];
    return [{ table: table.name, isNew: !table.forced, statements }];
  });
}

/** Makes the policies of a table as they are declared. Whoever reads it waits meanwhile. */
export async function applyRowPolicies(em: EntityManager, { statements }: Outdated): Promise<void> {
  for (const statement of statements) await em.execute(statement);
}

/** The name of the policy that a statement makes. */
const NAMED = /^create policy (\w+) /;

function policiesOf({ name, has_company }: Table, belonging: RowPolicy | undefined, named: Named, roles: Set<string>): string[] {
  const t = `"${name}"`;
  const own = isReserved(name) ? 'false' : (belonging?.writable?.(t, COMPANIES) ?? `company_id = any(${COMPANIES})`);
  const statements = [`create policy ${TENANT_ISOLATION} on ${t} using (${own}) with check (${own})`];
  const subcontracted = named.subcontracted.get(name);
  const isNamed = named.tables.has(name) && !subcontracted;
  const read = (policy: string, rows: Condition | IdSubquery | RowQuery) => {
    const made = typeof rows === 'function' ? undefined : policyFunction(`policy_${policy}_${name}`, rows, isNamed);
    if (made) statements.push(...made.statements);
    statements.push(`create policy ${policy} on ${t} for select using (${made?.using ?? (rows as Condition)(t, COMPANIES)})`);
  };
  if (subcontracted) read('subcontracted', belonging?.subcontracted ?? subcontracted);
  const shared = named.shared.get(name);
  if (shared) read('shared', belonging?.shared ?? shared);
  if (belonging?.readable) read('readable', belonging.readable);
  // A shared record is checked row by row; records that it names are checked by their company.
  const company = has_company ? 'company_id' : 'id';
  if (isNamed) read(PARTNERS, () => `${company} = partner_in_work(${company}, ${!shared})`);
  // FORCE binds the owner, who must see everything to migrate it.
  statements.push(`create policy owner on ${t} to current_user using (true) with check (true)`);
  for (const { name: purpose, role, grants } of allPurposes())
    if (grants[name] && roles.has(role)) statements.push(`create policy ${purpose} on ${t} to ${role} using (true) with check (true)`);
  return statements;
}

/**
 * The publisher reads what its condition says, and nothing more: a restrictive policy, because all others ask for the companies of a setting, which
 * whoever is signed in can set as they like.
 */
function boundOf(table: string, bounds: Readonly<Record<string, string>>): string[] {
  const bound = bounds[table];
  if (bound === undefined) return [];
  return [
    `create policy published on "${table}" for select to ${PUBLISHER} using (true)`,
    `create policy published_bound on "${table}" as restrictive for select to ${PUBLISHER} using (${bound})`,
  ];
}

/**
 * A condition of a policy as a function. PostgreSQL sets up the subqueries of all policies of all tables that a statement names, also when no
 * row needs them, which cost more than the rest of the statement for a record that names fifty others; a function costs nothing until it is
 * called. As rows of tables that others name are met by the dozen, they are looked up one by one; of work there are many, which are found
 * in a set that is made once for the statement.
 */
function policyFunction(name: string, rows: IdSubquery | RowQuery, isNamed: boolean): { using: string; statements: string[] } {
  // As the owner, so that the policies of what it asks do not become part of every statement.
  const asOwner = 'security definer set search_path = public, pg_temp';
  if ('ids' in rows && !isNamed)
    return {
      using: `${rows.column} in (select ${name}())`,
      statements: [
        `create or replace function ${name}() returns setof uuid language sql stable parallel safe ${asOwner} as $$ ${rows.ids(SCOPE)} $$`,
      ],
    };
  // A question about the reader's rights is asked as the reader.
  const [exists, rights] =
    'ids' in rows ? [`select from (${rows.ids(SCOPE)}) given (id) where given.id = $1`, asOwner] : [rows.exists('$1'), ''];
  return {
    using: `${name}(${rows.column})`,
    statements: [
      `drop function if exists ${name}()`,
      `create or replace function ${name}(uuid) returns boolean language plpgsql stable ${rights} as $$ begin return exists (${exists}); end $$`,
    ],
  };
}

interface Named {
  /** Tables whose rows records of work name, and those whose rows hang on them. */
  tables: Set<string>;
  subcontracted: Map<string, Condition>;
  shared: Map<string, Condition>;
}

/** Tables that can be reached from work that is passed on: visible through their parent, as in the application. */
function namedInWork(metadata: MetadataStorage): Named {
  const all = [...metadata.getAll().values()] as EntityMetadata<unknown>[];
  const subcontracted = new Map<string, Condition>();
  const shared = new Map<string, Condition>();
  const met = new Set<EntityMetadata<unknown>>();
  const meet = (meta: EntityMetadata<unknown> | undefined): void => {
    if (!meta?.class || met.has(meta)) return;
    met.add(meta);
    for (const prop of Object.values(meta.properties) as { targetMeta?: EntityMetadata<unknown> }[]) meet(prop.targetMeta);
    for (const many of readSpecOf(meta.class as Function).many.values()) meet(all.find((one) => one.class === many.type()));
  };
  for (const meta of all) {
    const tenant = meta.class && readSpecOf(meta.class as Function).tenant;
    if (tenant?.shared) shared.set(meta.tableName, tenant.shared);
    if (tenant?.subcontracted) subcontracted.set(meta.tableName, tenant.subcontracted);
    if (tenant?.subcontracted || tenant?.shared) meet(meta);
  }
  return { tables: new Set([...met].map((meta) => meta.tableName)), subcontracted, shared };
}

function tables(em: EntityManager): Promise<Table[]> {
  return em.execute<Table[]>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped) as has_company,
      (select obj_description(p.oid, 'pg_policy') from pg_policy p where p.polrelid = c.oid and p.polname = '${TENANT_ISOLATION}') as fingerprint,
      array(select p.polname::text from pg_policy p where p.polrelid = c.oid order by 1) as policies
     from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by c.relname`,
  );
}

/**
 * Lets the application's role take another one, without having its rights before that. An operator may have made the application's role as
 * one that inherits, as PostgreSQL makes roles by default.
 */
const TO_BE_TAKEN = (role: string): string => `if current_setting('server_version_num')::int >= 160000 then
  execute 'grant ${role} to ${APP_ROLE} with inherit false';
else
  alter role ${APP_ROLE} noinherit;
  grant ${role} to ${APP_ROLE};
end if;`;

/**
 * The roles of the purposes, each with its few grants. The application's role may take them, and has nothing of theirs until it does. Only what is not
 * as declared is changed: to take everything back and grant it anew took seconds of each start, and a lock on every table.
 */
export async function grantToPurposes(em: EntityManager): Promise<void> {
  const known = new Set((await tables(em)).map(({ name }) => name));
  const held = await rightsOf(
    em,
    allPurposes().map(({ role }) => role),
  );
  for (const { role, grants } of allPurposes()) {
    await em.execute(`do $$ begin
      create role ${role} noinherit;
    exception when duplicate_object or unique_violation or insufficient_privilege then null; end $$`);
    const [exists] = await em.execute<object[]>('select from pg_roles where rolname in (?, ?) having count(*) = 2', [role, APP_ROLE]);
    if (!exists) continue;
    await em.execute(`do $$ begin
      if pg_has_role('${APP_ROLE}', '${role}', 'usage') or not pg_has_role('${APP_ROLE}', '${role}', 'member') then
        ${TO_BE_TAKEN(role)}
      end if;
      if not pg_has_role(current_user, '${role}', 'member') then grant ${role} to current_user; end if;
    exception when insufficient_privilege then null; end $$`);
    await em.execute(`grant usage on schema public to ${role}`);
    const has = held.get(role) ?? new Map<string, string[]>();
    for (const table of new Set([...has.keys(), ...Object.keys(grants).filter((name) => known.has(name))])) {
      const [had, wanted] = [has.get(table) ?? [], grants[table] ?? []];
      if (sameRights(had, wanted.flatMap(rightsIn))) continue;
      if (had.length > 0) await em.execute(`revoke all on "${table}" from ${role}`);
      if (wanted.length > 0) await em.execute(`grant ${wanted.join(', ')} on "${table}" to ${role}`);
    }
  }
}

const sameRights = (some: readonly string[], others: readonly string[]): boolean =>
  new Set(some).size === new Set(others).size && some.every((right) => others.includes(right));

/** Returns what a privilege grants: `select`, or `select name` for each column that it names. */
function rightsIn(privilege: Privilege): string[] {
  const [, act = '', columns] = /^(\w+)(?: \((.*)\))?$/.exec(privilege)!;
  return columns === undefined ? [act] : columns.split(',').map((column) => `${act} ${column.trim().replaceAll('"', '')}`);
}

/** Returns the rights of roles on tables and on columns of them, as `rightsIn` does; one that may be passed on is another right. */
async function rightsOf(em: EntityManager, roles: readonly string[]): Promise<Map<string, Map<string, string[]>>> {
  const rows = await em.execute<{ role: string; table: string; rights: string[] }[]>(
    `select r.rolname::text as role, given.name::text as table,
       array_agg(lower(given.privilege_type) || coalesce(' ' || given.column, '') || case when given.is_grantable then ' to grant' else '' end) as rights
     from (
       select c.relname as name, null as column, a.* from pg_class c, aclexplode(c.relacl) a
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
       union all
       select c.relname, t.attname, a.* from pg_class c join pg_attribute t on t.attrelid = c.oid and not t.attisdropped, aclexplode(t.attacl) a
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
     ) given join pg_roles r on r.oid = given.grantee
     where r.rolname = any(?::text[]) group by 1, 2`,
    [`{${roles.join()}}`],
  );
  const all = new Map<string, Map<string, string[]>>();
  for (const { role, table, rights } of rows) all.set(role, (all.get(role) ?? new Map<string, string[]>()).set(table, rights));
  return all;
}

import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StartError } from '../start-error.ts';
import { APP_ROLE } from './roles.ts';
import { allPurposes } from './scope.ts';
import { sidePool } from './side-pool.ts';
import { poolOf } from './sql.ts';

/** The schema that logins of companies read: views with stable names, in the tables' place. */
export const PUBLISHED = 'reporting';
/** Owns the views, and is bound by row-level security when somebody reads them. Nobody signs in as it. */
export const PUBLISHER = 'haulgate_reporting';
/** The role that every login of a company belongs to: it has the right to read the views. */
export const READERS = 'haulgate_reporters';

export interface PublishedColumn {
  sql: string;
  /** The description of the column, for whoever lists the columns in a client of PostgreSQL. */
  about: string;
}

/** A view in place of tables. */
export interface PublishedView {
  name: string;
  about: string;
  columns: Readonly<Record<string, PublishedColumn>>;
  /** The part of the query after the list of columns. */
  from: string;
}

/** The views that logins of companies read. The owner makes them when the migrations have run. */
export interface Published {
  /** Functions of the schema, as `create or replace function`. They run as the owner of the tables. */
  functions: readonly string[];
  /** Those of them that statements of readers call, as `name(types)`, by what they are for. */
  readable: readonly string[];
  /** Those of them that a purpose calls, by its name. */
  ofPurposes: Readonly<Record<string, readonly string[]>>;
  /** The tables that the views read, with the condition that rows of them meet for the login that reads. It binds whatever the views say. */
  bounds: Readonly<Record<string, string>>;
  views: readonly PublishedView[];
  /** SQL of the names of the logins. */
  logins: string;
}

/** A role that the owner of the database may need to make belongs to the whole server: somebody else may have made it. */
const MADE = 'duplicate_object or unique_violation or insufficient_privilege';

/** The published views and functions that can be made in a database. */
export interface Prepared {
  /** The condition on rows of each table; none where there is nothing to bind. */
  bounds: Published['bounds'];
  /** Whether the views can be made. What was made before stays, and is bound as it was. */
  may: boolean;
}

/**
 * Makes the schema, its roles and functions, without which there is nothing to bind. A login that may not make them skips it; whoever wants a
 * login for reading then learns what is missing.
 */
export async function preparePublished(em: EntityManager, { functions, readable, bounds }: Published): Promise<Prepared> {
  for (const role of [PUBLISHER, READERS])
    await em.execute(`do $$ begin create role ${role} nologin noinherit; exception when ${MADE} then null; end $$`);
  await em.execute(`do $$ begin create schema if not exists ${PUBLISHED}; exception when insufficient_privilege then null; end $$`);
  const may = await mayPublish(em);
  if (may) for (const made of functions) await em.execute(made);
  const [found] = await em.execute<{ there: boolean }[]>(
    `select exists (select from pg_roles where rolname = '${PUBLISHER}') and not exists (
       select from unnest(?::text[]) name where to_regprocedure('${PUBLISHED}.' || name) is null) as there`,
    [`{${readable.map((name) => `"${name}"`).join()}}`],
  );
  return { bounds: found!.there ? bounds : {}, may };
}

/** Whether the schema is the caller's and the roles are theirs to give. */
async function mayPublish(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ may: boolean }[]>(
    `select count(*) = 2 and exists (select from pg_namespace where nspname = '${PUBLISHED}' and pg_has_role(current_user, nspowner, 'usage'))
      and (bool_and(pg_has_role(current_user, r.oid, 'member with admin option'))
        or (current_setting('server_version_num')::int < 160000 and (select rolcreaterole from pg_roles where rolname = current_user))) as may
     from pg_roles r where r.rolname in ('${PUBLISHER}', '${READERS}')`,
  );
  return row!.may;
}

/** Milliseconds between two ends of all sessions of readers, which is as long as one of them may keep a table from a migration. */
const OUT_EVERY = 250;

/**
 * Keeps readers out while tables and views change: a question that somebody left open would keep the tables from migrations, and these everybody else
 * from the tables. Who is ended may sign in again at once, so that sessions are ended again and again.
 */
export class ReadersOut {
  readonly #em: EntityManager;
  readonly #logins: string;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param em of the owner of the tables */
  constructor(em: EntityManager, { logins }: Pick<Published, 'logins'>) {
    this.#em = em;
    this.#logins = logins;
  }

  /** Ends their sessions until `letIn`. */
  async begin(): Promise<void> {
    if (this.#timer) return;
    await this.#end(5_000);
    this.#timer = setInterval(() => {
      // One that fails is made up for by the next. What goes wrong with the server ends the migration, too.
      this.#last = this.#last.then(() => this.#end(0)).catch(() => {});
    }, OUT_EVERY);
  }

  async letIn(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
  }

  async #end(wait: number): Promise<void> {
    // Whoever migrates holds a connection with locks, and may hold all others.
    await sidePool(await poolOf(this.#em)).query(
      `select pg_terminate_backend(a.pid, ${wait}) from pg_stat_activity a where a.datname = current_database() and a.usename::text in (${this.#logins})`,
    );
  }
}

/**
 * Removes the views, so that migrations may change the tables below them; `finishPublished` makes them anew.
 * @param readers are kept out from then on, until somebody lets them in
 * @throws StartError if something that is not ours hangs on them
 */
export async function withdrawPublished(em: EntityManager, readers: ReadersOut): Promise<void> {
  const views = await em.execute<{ name: string }[]>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = '${PUBLISHED}' and c.relkind = 'v'`,
  );
  if (views.length === 0) return;
  const names = views.map(({ name }) => name).join(', ');
  await readers.begin();
  await em
    .execute(`do $$ begin
    drop view ${names};
  exception when dependent_objects_still_exist then
    raise exception using errcode = 'HG001', message = 'hangs';
  end $$`)
    .catch((error: Error & { code?: string }) => {
      if (error.code !== 'HG001') throw error;
      throw new StartError(
        `Other views of this database read the views of its schema ${PUBLISHED}, which this version makes anew: drop them, start again, and make them again.`,
      );
    });
}

/**
 * Makes the views as they are declared, unless they are so already, and gives readers the right to them. Functions of the product are then nobody's
 * but the product's: PostgreSQL lets everybody run a new function, and some of them act as the owner.
 */
export async function finishPublished(em: EntityManager, published: Published, { may }: Prepared, readers: ReadersOut): Promise<void> {
  if (!may) return;
  const { functions, readable, ofPurposes, bounds, views } = published;
  const statements = views.flatMap(statementsOf);
  const expected = createHash('sha256')
    .update([...functions, ...statements].join('\n'))
    .digest('hex');
  if (!(await arePublished(em, expected, published))) {
    await withdrawPublished(em, readers);
    await em.execute(
      `grant select on ${Object.keys(bounds)
        .map((table) => `"${table}"`)
        .join(', ')} to ${PUBLISHER}`,
    );
    await em.execute(`grant usage on schema public to ${PUBLISHER}`);
    await em.execute(`grant usage, create on schema ${PUBLISHED} to ${PUBLISHER}`);
    for (const statement of statements) await em.execute(statement);
    // Only its member may give something to a role. A member who stays one would be bound as the role is.
    await em.execute(`grant ${PUBLISHER} to current_user`);
    for (const { name } of views) await em.execute(`alter view ${PUBLISHED}."${name}" owner to ${PUBLISHER}`);
    await em.execute(`revoke ${PUBLISHER} from current_user`);
    await em.execute(`comment on schema ${PUBLISHED} is 'What logins of a company read: docs/reporting.md. ${expected}'`);
  }
  await em.execute(`grant usage on schema ${PUBLISHED} to ${READERS}`);
  await em.execute(`revoke execute on all functions in schema ${PUBLISHED} from public`);
  for (const name of readable) await em.execute(`grant execute on function ${PUBLISHED}.${name} to ${READERS}, ${PUBLISHER}`);
  for (const { name, role } of allPurposes()) {
    const called = ofPurposes[name];
    if (!called) continue;
    const there = await em.execute<object[]>('select from pg_roles where rolname = ?', [role]);
    if (there.length === 0) continue;
    await em.execute(`grant usage on schema ${PUBLISHED} to ${role}`);
    for (const one of called) await em.execute(`grant execute on function ${PUBLISHED}.${one} to ${role}`);
  }
  await keepFunctions(em);
}

/**
 * Whether the views are as they were made: a dump that was restored without its roles has them, with all that the schema's comment says, and they
 * belong to whoever restored it, and nobody may read them.
 */
async function arePublished(em: EntityManager, expected: string, { views, bounds }: Published): Promise<boolean> {
  const [made] = await em.execute<{ kept: string | null; views: number; bound: boolean }[]>(
    `select obj_description(n.oid, 'pg_namespace') as kept,
       (select count(*)::int from pg_class c where c.relnamespace = n.oid and c.relkind = 'v' and c.relowner = '${PUBLISHER}'::regrole
         and has_table_privilege('${READERS}', c.oid, 'select')) as views,
       (select bool_and(has_table_privilege('${PUBLISHER}', t.oid, 'select')) from unnest(?::regclass[]) t (oid)) as bound
     from pg_namespace n where n.nspname = '${PUBLISHED}'`,
    [`{${Object.keys(bounds).join()}}`],
  );
  return made!.kept?.endsWith(expected) === true && made!.views === views.length && made!.bound;
}

function statementsOf({ name, about, columns, from }: PublishedView): string[] {
  const view = `${PUBLISHED}."${name}"`;
  const selected = Object.entries(columns).map(([column, { sql }]) => `${sql} as "${column}"`);
  const text = (said: string) => `'${said.replaceAll("'", "''")}'`;
  return [
    // A condition of the reader that could reveal rows is asked only about rows that the view shows.
    `create view ${view} with (security_barrier) as select ${selected.join(',\n ')} ${from}`,
    `comment on view ${view} is ${text(about)}`,
    ...Object.entries(columns).map(([column, said]) => `comment on column ${view}."${column}" is ${text(said.about)}`),
    `grant select on ${view} to ${READERS}`,
  ];
}

async function keepFunctions(em: EntityManager): Promise<void> {
  const roles = [APP_ROLE, PUBLISHER, ...allPurposes().map(({ role }) => role)];
  const there = await em.execute<{ name: string }[]>('select rolname::text as name from pg_roles where rolname = any(?::text[])', [
    `{${roles.join()}}`,
  ]);
  const names = there.map(({ name }) => name);
  // Those that everybody may call, and those that a purpose may not which came later than they did.
  const open = await em.execute<{ name: string }[]>(
    `select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace
       and p.prorettype <> 'trigger'::regtype and pg_has_role(current_user, p.proowner, 'usage')
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       and (p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0)
         or exists (select from unnest(?::text[]) r (name) where not has_function_privilege(r.name, p.oid, 'execute')))`,
    [`{${names.join()}}`],
  );
  if (open.length === 0) return;
  const functions = open.map(({ name }) => name).join(', ');
  await em.execute(`grant execute on function ${functions} to ${names.join(', ')}`);
  await em.execute(`revoke execute on function ${functions} from public`);
}

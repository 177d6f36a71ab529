import type { EntityManager } from '@mikro-orm/postgresql';
import pg, { type Pool } from 'pg';
import { connectToPrimary } from './connection/hosts.ts';
import { allGrowing, allPurposes, allReserved } from './scope.ts';

/** The role that the product's own connections act in: owns nothing, is no superuser, and row-level security binds it. */
export const APP_ROLE = 'haulgate_app';

/** Tables of the platform that are append-only: the role may add and read. Rooms declare theirs (`growsOnly`). */
const APPEND_ONLY = ['audit_entry', 'transition', 'wal_timeline'];

/**
 * Creates the application's role if there is none, and grants it what requests need. The owner runs it after the migrations. A login that
 * may not create roles skips it; `gapsOf` then reports that at the start.
 */
export async function grantToApp(em: EntityManager): Promise<void> {
  await em.execute(`do $$ begin
    create role ${APP_ROLE} noinherit;
  exception
    -- Roles belong to the whole server: another database's start may have made it, or may be making it now.
    when duplicate_object or unique_violation or insufficient_privilege then null;
  end $$`);
  const [role] = await em.execute<object[]>('select from pg_roles where rolname = ?', [APP_ROLE]);
  if (!role) return;
  await em.execute(`do $$ begin
    if not pg_has_role(current_user, '${APP_ROLE}', 'member') then grant ${APP_ROLE} to current_user; end if;
  exception when insufficient_privilege then null; end $$`);
  await em.execute(`grant usage on schema public to ${APP_ROLE}`);
  await em.execute(`grant select, insert, update, delete on all tables in schema public to ${APP_ROLE}`);
  await em.execute(`grant usage on all sequences in schema public to ${APP_ROLE}`);
  await em.execute(`revoke insert, update, delete on migration from ${APP_ROLE}`);
  const known = await em.execute<{ name: string }[]>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname = any(?::text[])",
    [`{${allReserved().join()}}`],
  );
  for (const { name } of known) await em.execute(`revoke all on "${name}" from ${APP_ROLE}`);
  for (const table of [...APPEND_ONLY, ...allGrowing()]) {
    // A table without parts is in no tree of them.
    const parts = await em.execute<{ name: string }[]>(
      'select relid::regclass::text as name from pg_partition_tree(?) union select to_regclass(?)::text',
      [table, table],
    );
    for (const { name } of parts) if (name) await em.execute(`revoke update, delete on ${name} from ${APP_ROLE}`);
  }
}

/** Gives the role a password, so that the product needs no other login. */
export async function letAppLogIn(admin: pg.Client, password: string): Promise<void> {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [APP_ROLE]);
  await admin.query(`${rowCount ? 'alter' : 'create'} role ${APP_ROLE} noinherit login password ${pg.escapeLiteral(password)}`);
}

/** Whether a login may act in the application's role. */
export const mayActAsApp = (url: string): Promise<boolean> => asApp(url, (_client, may) => Promise.resolve(may));

/** The same as `gapsOf`, for the connections that the product would have as this login. */
export const gapsAs = async (url: string): Promise<{ actsAs: boolean; gaps: string[] }> =>
  asApp(url, async (client, actsAs) => ({ actsAs, gaps: await gapsOf(client as unknown as Pool) }));

/** @param work gets whether the login is in the application's role; otherwise the login is itself */
async function asApp<T>(url: string, work: (client: pg.Client, may: boolean) => Promise<T>): Promise<T> {
  const client = await connectToPrimary(url);
  try {
    // Within a transaction: behind a pooler others get the connection next, and would be in this role.
    await client.query('begin');
    await client.query('savepoint before');
    const may = await client.query(`set local role ${APP_ROLE}`).then(
      () => true,
      async (error: Error & { code?: string }) => {
        // No such role; not a member of it.
        if (!['22023', '42501'].includes(error.code ?? '')) throw error;
        await client.query('rollback to savepoint before');
        return false;
      },
    );
    const result = await work(client, may);
    await client.query('rollback');
    return result;
  } finally {
    await client.end();
  }
}

/** Why PostgreSQL would not keep companies apart on these connections, each as the end of a sentence; nothing when it does. */
export async function gapsOf(on: Pick<Pool, 'query'>): Promise<string[]> {
  const { rows } = await on.query<{ name: string; superuser: boolean; bypasses: boolean; owned: number; inherited: string[] }>(
    `select rolname as name, rolsuper as superuser, rolbypassrls as bypasses,
      (select count(*)::int from pg_class where relowner = r.oid and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace) as owned,
      array(select p.rolname::text from pg_roles p where p.rolname = any($1) and pg_has_role(r.oid, p.oid, 'usage') order by 1) as inherited
     from pg_roles r where rolname = current_user`,
    [allPurposes().map(({ role }) => role)],
  );
  const { name, superuser, bypasses, owned, inherited } = rows[0]!;
  return [
    ...(superuser ? [`${name} is a superuser`] : []),
    ...(bypasses && !superuser ? [`${name} has BYPASSRLS`] : []),
    ...(owned > 0 ? [`${name} owns ${owned} tables`] : []),
    // Policies for a purpose hold for everybody who has its rights, so that all companies' rows would be seen.
    ...(inherited.length > 0 && !superuser ? [`${name} inherits the rights of ${inherited.join(', ')}`] : []),
  ];
}

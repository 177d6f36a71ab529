import { PUBLISHED, READERS } from '../../platform/database/published.ts';
import { LIMITS, WATCHED } from './login-limits.ts';

const AS_OWNER = 'security definer set search_path = pg_catalog, pg_temp';
/**
 * The login of the session: `session_user` is who signed in, which neither `set role` nor any setting changes. A login that was revoked, and one of
 * a company that was discarded, is none.
 */
const OF_SESSION = `from public.reporting_login l join public.company c on c.id = l.company_id
  where l.username = session_user::text and l.revoked_at is null and c.discarded_at is null`;

/** Functions that views and row-level security ask about whoever reads. */
const SCOPE = [
  `create or replace function ${PUBLISHED}.company_id() returns uuid language sql stable parallel safe ${AS_OWNER} as $$
    select l.company_id ${OF_SESSION} $$`,
  `create or replace function ${PUBLISHED}.time_zone() returns text language sql stable parallel safe ${AS_OWNER} as $$
    select c.time_zone ${OF_SESSION} $$`,
  `create or replace function ${PUBLISHED}.may(permission text) returns boolean language sql stable parallel safe ${AS_OWNER} as $$
    select coalesce((select $1 = any(l.permissions) ${OF_SESSION}), false) $$`,
  `create or replace function ${PUBLISHED}.passed_jobs() returns setof uuid language sql stable parallel safe ${AS_OWNER} as $$
    select a.job_id from public.job_assignment a where a.vendor_company_id = (select ${PUBLISHED}.company_id()) $$`,
  `create or replace function ${PUBLISHED}.passed_orders() returns setof uuid language sql stable parallel safe ${AS_OWNER} as $$
    select j.order_id from public.job j where j.id in (select ${PUBLISHED}.passed_jobs()) $$`,
  `create or replace function ${PUBLISHED}.passed_routes() returns setof uuid language sql stable parallel safe ${AS_OWNER} as $$
    select o.route_id from public.orders o where o.id in (select ${PUBLISHED}.passed_orders())
    union all select j.route_id from public.job j where j.id in (select ${PUBLISHED}.passed_jobs())
    union all select l.route_id from public.load l where l.job_id in (select ${PUBLISHED}.passed_jobs()) $$`,
];

/** How roles of logins are called. */
const OURS = '^haulgate_bi_[a-z0-9_]+$';

/** A statement that some owners of databases may not give: then it is left out. */
const ifAllowed = (statement: string): string => `begin ${statement} exception when insufficient_privilege then null; end;`;

/**
 * Makes the role of a login, or gives it another password: of what is in the table, so that nobody makes any other role by it. The password comes as
 * PostgreSQL would keep it. Who makes a role may end its sessions as a member of it.
 * @returns false if the owner of the tables may not make roles
 */
const MAKE = `create or replace function ${PUBLISHED}.make_login(login uuid, verifier text) returns boolean language plpgsql ${AS_OWNER} as $$
  declare name text;
  begin
    select l.username into strict name from public.reporting_login l where l.id = login and l.revoked_at is null;
    -- The table says so, too. The owner must not be had to change any other role.
    if name !~ '${OURS}' then
      raise exception 'Only roles of logins are made.';
    end if;
    if verifier !~ '^SCRAM-SHA-256\\$\\d+:[A-Za-z0-9+/=]+\\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' then
      raise exception 'A password comes as its verifier.';
    end if;
    if exists (select from pg_roles where rolname = name) then
      execute format('alter role %I login password %L', name, verifier);
      return true;
    end if;
    execute format('create role %I login inherit connection limit ${LIMITS.connections} password %L in role ${READERS}', name, verifier);
    execute format('alter role %I set search_path = ${PUBLISHED}', name);
    execute format('alter role %I set default_transaction_read_only = on', name);
    execute format('alter role %I set statement_timeout = ''${LIMITS.statement}s''', name);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''${LIMITS.idle}s''', name);
    ${ifAllowed(`execute format('alter role %I set temp_file_limit = ''${LIMITS.temporary}MB''', name);`)}
    execute format('grant connect on database %I to ${READERS}', current_database());
    -- Otherwise whoever is signed in could fill the disk with tables of their own, and with large objects.
    ${ifAllowed(`execute format('revoke temporary on database %I from public', current_database());`)}
    ${ifAllowed(`revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_put(oid, bigint, bytea), lowrite(integer, bytea) from public;`)}
    if not pg_has_role(current_user, name, 'usage') then
      execute format('grant %I to current_user%s', name, case when current_setting('server_version_num')::int >= 160000 then ' with inherit true' else '' end);
    end if;
    return true;
  exception when insufficient_privilege or undefined_object then
    return false;
  end $$`;

/**
 * Ends sessions of logins that were revoked, whose company was discarded or whose password is another one now, and those that take more than a login
 * may: whoever is signed in can lift their own limits, but not this. Locks that a session takes by name could make the product wait. What was revoked
 * and has no session any more has no role any more.
 * @returns how many sessions were ended
 */
const WATCH = `create or replace function ${PUBLISHED}.watch_logins() returns integer language plpgsql ${AS_OWNER} as $$
  declare
    found record;
    ended integer := 0;
  begin
    if not exists (select from public.reporting_login) then return 0; end if;
    for found in
      select a.pid from pg_stat_activity a join public.reporting_login l on l.username = a.usename::text join public.company c on c.id = l.company_id
      where l.username ~ '${OURS}' and (l.revoked_at is not null or c.discarded_at is not null or a.backend_start < l.password_made_at
        or (a.state = 'active' and a.query_start < clock_timestamp() - interval '${WATCHED.statement} seconds')
        or a.xact_start < clock_timestamp() - interval '${WATCHED.transaction} seconds'
        or exists (select from pg_locks k where k.pid = a.pid and k.locktype = 'advisory'))
    loop
      ended := ended + case when pg_terminate_backend(found.pid) then 1 else 0 end;
    end loop;
    for found in
      select l.username as name, l.revoked_at is not null as is_revoked, c.discarded_at is not null as is_discarded, r.rolcanlogin as is_open
      from public.reporting_login l join public.company c on c.id = l.company_id join pg_roles r on r.rolname = l.username
      where l.username ~ '${OURS}' and (l.revoked_at is not null or (c.discarded_at is null) <> r.rolcanlogin)
    loop
      if found.is_revoked then
        if found.is_open then execute format('alter role %I nologin', found.name); end if;
        if not exists (select from pg_stat_activity a where a.usename::text = found.name) then
          -- Something that it made keeps the role, which nobody can sign in as.
          begin execute format('drop role %I', found.name); exception when dependent_objects_still_exist then null; end;
        end if;
      else
        execute format('alter role %I %s', found.name, case when found.is_discarded then 'nologin' else 'login' end);
      end if;
    end loop;
    return ended;
  end $$`;

export const LOGIN_FUNCTIONS = [...SCOPE, MAKE, WATCH];
/** What statements of a login call through its views. */
export const OF_READERS = ['company_id()', 'time_zone()', 'may(text)', 'passed_jobs()', 'passed_orders()', 'passed_routes()'];
/** What keeps logins. */
export const OF_KEEPERS = ['make_login(uuid, text)', 'watch_logins()'];

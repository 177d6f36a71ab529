import { PUBLISHED, READERS } from '../../platform/database/published.ts';
import { LIMITS, SHARE_OF_SERVER, WATCHED, WRITERS } from './login-limits.ts';

const AS_OWNER = 'security definer set search_path = pg_catalog, pg_temp';

/**
 * Returns the comment of a role. Roles belong to the whole server, where there may be a copy of this database with the same logins: a login is
 * one of the database that made its role, and of no other.
 */
const OF_DATABASE = 'A reporting login of the database ';
const HERE = `'${OF_DATABASE}' || (select d.oid::text from pg_database d where d.datname = current_database())`;
const isMadeHere = (role: string): string => `shobj_description(${role}, 'pg_authid') = ${HERE}`;

/**
 * The login of the session: `session_user` is who signed in, which neither `set role` nor any setting changes. A login that was revoked, one of
 * a company that was discarded, and one that another database made, is none.
 */
const OF_SESSION = `from public.reporting_login l join public.company c on c.id = l.company_id join pg_roles r on r.rolname = l.username
  where l.username = session_user::text and l.revoked_at is null and c.discarded_at is null and ${isMadeHere('r.oid')}`;

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

/** The pattern of the names of roles of logins. */
const OURS = '^haulgate_bi_[a-z0-9_]+$';

/** A statement that some owners of databases may not give: then it is left out. */
const ifAllowed = (statement: string): string => `begin ${statement} exception when insufficient_privilege then null; end;`;

/**
 * Takes from everybody what would let a login write: temporary tables, and functions that write without a right to a table.
 * @returns what could not be taken, because it belongs to somebody else
 */
const TAKE_WRITING = `create or replace function ${PUBLISHED}.take_writing() returns text language plpgsql ${AS_OWNER} as $$
  declare found record;
  begin
    ${ifAllowed(`execute format('revoke temporary on database %I from public', current_database());`)}
    for found in
      select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
        and p.proname in (${WRITERS.map((name) => `'${name}'`).join()}) and has_function_privilege('public', p.oid, 'execute')
    loop
      ${ifAllowed(`execute format('revoke execute on function %s from public', found.name);`)}
    end loop;
    return (select string_agg(w.name, ', ' order by w.name) from (
      select 'function ' || p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
        and p.proname in (${WRITERS.map((name) => `'${name}'`).join()}) and has_function_privilege('public', p.oid, 'execute')
      union all select format('temporary on database %I', current_database()) where has_database_privilege('public', current_database(), 'temporary')) w);
  end $$`;

/**
 * Changes a role of a login. A session of it that changes its own role at the same moment, again and again, would have that fail, and one that has
 * changed it and does not end its transaction would have it wait: it is ended.
 */
const ALTER = `create or replace function ${PUBLISHED}.alter_login(name text, what text) returns void language plpgsql ${AS_OWNER} set lock_timeout = '200ms' as $$
  begin
    for attempt in 1..100 loop
      begin
        execute format('alter role %I %s', name, what);
        return;
      exception when internal_error or lock_not_available then
        if attempt = 100 then raise; end if;
        perform pg_stat_clear_snapshot();
        perform pg_terminate_backend(a.pid, 100) from pg_stat_activity a where a.usename::text = name;
      end;
    end loop;
  end $$`;

/**
 * Connections that are being opened, of whomever: none is a session yet. Each has a transaction of its own from its first moment on, and reads the
 * password before its client proves to know it, which may take a minute. Only then does it see whether the role may sign in.
 */
const OPENING = `create or replace function ${PUBLISHED}.opening() returns integer[] language sql volatile ${AS_OWNER} as $$
  select array(select k.pid from pg_locks k where k.locktype = 'virtualxid' and not exists (
    select from pg_stat_activity a where a.pid = k.pid and (a.usesysid is not null or a.backend_type <> 'client backend'))) $$`;

/** Shares the sessions of a company out among its logins. PostgreSQL keeps these limits, whatever the watch does. */
const SHARE_OUT = `create or replace function ${PUBLISHED}.share_out() returns void language plpgsql ${AS_OWNER} as $$
  declare found record;
  begin
    for found in
      select w.name, w.sessions from (
        select l.username as name, r.rolconnlimit as was,
          greatest(1, least(${LIMITS.connections}, ${LIMITS.ofCompany} / count(*) over (partition by l.company_id)))::int as sessions
        from public.reporting_login l join pg_roles r on r.rolname = l.username
        where l.revoked_at is null and l.username ~ '${OURS}' and ${isMadeHere('r.oid')}) w
      where w.was <> w.sessions order by 1
    loop
      perform ${PUBLISHED}.alter_login(found.name, 'connection limit ' || found.sessions);
    end loop;
  end $$`;

/**
 * Makes the role of a login, or gives it another password: of what is in the table, so that nobody makes any other role by it. The password comes as
 * PostgreSQL would keep it. Who makes a role may end its sessions as a member of it.
 *
 * Another password closes the role at first. Whoever is signed in may set their own password: sessions that the old one opened could set it back. So
 * the watch sets the password again when no session is left, and no connection that was being opened then. From then on nobody else can set it. The
 * next look opens the role, when no connection is left that may have read another password before.
 * @returns null, or why it is not made: \`roles\` if the owner of the tables may not make roles, \`elsewhere\` if the role is another database's,
 *   \`writes: ...\` with what a login could write by, unless that is \`trusted\`
 */
const MAKE = `create or replace function ${PUBLISHED}.make_login(login uuid, verifier text, trusted boolean) returns text language plpgsql ${AS_OWNER} as $$
  declare
    name text;
    writes text;
    known text;
  begin
    lock table public.reporting_login_verifier in exclusive mode;
    select l.username into strict name from public.reporting_login l where l.id = login and l.revoked_at is null;
    -- The table says so, too. The owner must not be had to change any other role.
    if name !~ '${OURS}' then
      raise exception 'Only roles of logins are made.';
    end if;
    if verifier !~ '^SCRAM-SHA-256\\$\\d+:[A-Za-z0-9+/=]+\\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' then
      raise exception 'A password comes as its verifier.';
    end if;
    if exists (select from pg_roles r, pg_database d where r.rolname = name and d.datname <> current_database()
        and shobj_description(r.oid, 'pg_authid') = '${OF_DATABASE}' || d.oid::text) then
      return 'elsewhere';
    end if;
    writes := ${PUBLISHED}.take_writing();
    if writes is not null and not trusted then
      return 'writes: ' || writes;
    end if;
    if exists (select from pg_roles where rolname = name) then
      perform ${PUBLISHED}.alter_login(name, format('nologin password %L', verifier));
      insert into public.reporting_login_verifier values (login, verifier)
        on conflict (reporting_login_id) do update set verifier = excluded.verifier, opening = null, alone_since = null;
    else
      execute format('create role %I login inherit connection limit ${LIMITS.connections} password %L in role ${READERS}', name, verifier);
      execute format('alter role %I set search_path = ${PUBLISHED}', name);
      execute format('alter role %I set default_transaction_read_only = on', name);
      execute format('alter role %I set statement_timeout = ''${LIMITS.statement}s''', name);
      execute format('alter role %I set idle_in_transaction_session_timeout = ''${LIMITS.idle}s''', name);
      ${ifAllowed(`execute format('alter role %I set temp_file_limit = ''${LIMITS.temporary}MB''', name);`)}
    end if;
    execute format('comment on role %I is %L', name, ${HERE});
    execute format('grant connect on database %I to ${READERS}', current_database());
    if not pg_has_role(current_user, name, 'usage') then
      execute format('grant %I to current_user%s', name, case when current_setting('server_version_num')::int >= 160000 then ' with inherit true' else '' end);
    end if;
    perform ${PUBLISHED}.share_out();
    return null;
  exception when insufficient_privilege or undefined_object then
    return 'roles';
  end $$`;

/**
 * Ends sessions of logins that were revoked, whose company was discarded or whose password is another one now, and those that take more than a login
 * may, all of its company or all of them together: whoever is signed in can lift their own limits, but not this. Locks that a session takes by name
 * could make the product wait. Opens logins with another password, of which no session is left. What was revoked and has no session any more has no
 * role any more, and large objects that a login made are nobody's.
 * @returns how many sessions were ended
 */
const WATCH = `create or replace function ${PUBLISHED}.watch_logins() returns integer language plpgsql ${AS_OWNER} as $$
  declare
    found record;
    ended integer := 0;
    pending integer[];
  begin
    if not exists (select from public.reporting_login) then return 0; end if;
    -- Two that change the same role at once would fail.
    lock table public.reporting_login_verifier in exclusive mode;
    for found in
      select s.pid from (
        select o.*, row_number() over (order by o.of_company, o.backend_start, o.pid) as of_all from (
          select a.*, l.revoked_at, l.password_made_at, c.discarded_at,
            exists (select from public.reporting_login_verifier v where v.reporting_login_id = l.id) as is_closed,
            row_number() over (partition by l.company_id order by a.backend_start, a.pid) as of_company
          from pg_stat_activity a join public.reporting_login l on l.username = a.usename::text join public.company c on c.id = l.company_id
            join pg_roles r on r.rolname = l.username
          where a.backend_type = 'client backend' and l.username ~ '${OURS}' and ${isMadeHere('r.oid')}) o) s
      where s.revoked_at is not null or s.discarded_at is not null or s.is_closed or s.backend_start < s.password_made_at
        or (s.state = 'active' and s.query_start < clock_timestamp() - interval '${WATCHED.statement} seconds')
        or s.xact_start < clock_timestamp() - interval '${WATCHED.transaction} seconds'
        or s.of_company > ${LIMITS.ofCompany} or s.of_all > current_setting('max_connections')::int / ${SHARE_OF_SERVER}
        or exists (select from pg_locks k where k.pid = s.pid and k.locktype = 'advisory')
    loop
      ended := ended + case when pg_terminate_backend(found.pid) then 1 else 0 end;
    end loop;
    perform ${PUBLISHED}.share_out();
    for found in
      select l.id, l.username as name, l.password_made_at, v.verifier, v.opening, v.alone_since from public.reporting_login_verifier v join public.reporting_login l on l.id = v.reporting_login_id
        join public.company c on c.id = l.company_id join pg_roles r on r.rolname = l.username
      where l.revoked_at is null and c.discarded_at is null and l.username ~ '${OURS}' and ${isMadeHere('r.oid')} order by 1
    loop
      perform pg_stat_clear_snapshot();
      pending := coalesce(found.opening, ${PUBLISHED}.opening());
      if found.opening is null then
        update public.reporting_login_verifier v set opening = pending where v.reporting_login_id = found.id;
      end if;
      -- Most of them need a moment. One whose client takes its time is looked for again.
      for look in 1..50 loop
        exit when not pending && ${PUBLISHED}.opening();
        perform pg_sleep(0.02);
        perform pg_stat_clear_snapshot();
      end loop;
      -- Nobody is longer about it than PostgreSQL lets them; who may not see all processes takes those of PostgreSQL for such connections.
      continue when pending && ${PUBLISHED}.opening()
        and clock_timestamp() < coalesce(found.alone_since, found.password_made_at) + current_setting('authentication_timeout')::interval + interval '5 seconds';
      perform pg_stat_clear_snapshot();
      -- Those that were ended need a moment.
      perform pg_terminate_backend(a.pid, 2000) from pg_stat_activity a where a.usename::text = found.name;
      perform pg_stat_clear_snapshot();
      continue when exists (select from pg_stat_activity a where a.usename::text = found.name);
      if found.alone_since is not null then
        perform ${PUBLISHED}.alter_login(found.name, format('login password %L', found.verifier));
        delete from public.reporting_login_verifier where reporting_login_id = found.id;
      else
        perform ${PUBLISHED}.alter_login(found.name, format('nologin password %L', found.verifier));
        update public.reporting_login_verifier v set alone_since = clock_timestamp(), opening = null where v.reporting_login_id = found.id;
      end if;
    end loop;
    for found in
      select l.username as name, l.revoked_at is not null as is_revoked, w.is_open as may_open, r.rolcanlogin as is_open
      from public.reporting_login l join public.company c on c.id = l.company_id join pg_roles r on r.rolname = l.username
        cross join lateral (select c.discarded_at is null
          and not exists (select from public.reporting_login_verifier v where v.reporting_login_id = l.id) as is_open) w
      where l.username ~ '${OURS}' and ${isMadeHere('r.oid')} and (l.revoked_at is not null or w.is_open <> r.rolcanlogin) order by 1
    loop
      if found.is_revoked then
        if found.is_open then perform ${PUBLISHED}.alter_login(found.name, 'nologin'); end if;
        if not exists (select from pg_stat_activity a where a.usename::text = found.name) then
          -- Something that it made keeps the role, which nobody can sign in as.
          begin execute format('drop role %I', found.name); exception when dependent_objects_still_exist then null; end;
        end if;
      else
        perform ${PUBLISHED}.alter_login(found.name, case when found.may_open then 'login' else 'nologin' end);
      end if;
    end loop;
    -- One by one, and some at a time: each holds a lock, and its login may be changing it.
    for found in
      select m.oid from pg_largeobject_metadata m join pg_roles r on r.oid = m.lomowner join public.reporting_login l on l.username = r.rolname
      where l.username ~ '${OURS}' and ${isMadeHere('r.oid')} limit 500
    loop
      begin perform lo_unlink(found.oid); exception when internal_error or undefined_object or lock_not_available then null; end;
    end loop;
    return ended;
  end $$`;

/** Earlier forms, which the product calls no more. */
const FORMER = [`drop function if exists ${PUBLISHED}.make_login(uuid, text)`];

export const LOGIN_FUNCTIONS = [...FORMER, ...SCOPE, TAKE_WRITING, ALTER, OPENING, SHARE_OUT, MAKE, WATCH];
/** The functions that statements of a login call through its views. */
export const OF_READERS = ['company_id()', 'time_zone()', 'may(text)', 'passed_jobs()', 'passed_orders()', 'passed_routes()'];
/** The functions that keep logins. */
export const OF_KEEPERS = ['make_login(uuid, text, boolean)', 'watch_logins()'];

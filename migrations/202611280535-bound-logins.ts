import { Migration } from '@mikro-orm/migrations';

/**
 * Passwords of reporting logins wait until no session of the old one is left. Roles that were made before say whose they are: a copy of the database on
 * the same server has the same logins. And nobody who is signed in writes messages into the log of changes.
 */
export class BoundLogins extends Migration {
  override up(): void {
    this.addSql(`
      create table reporting_login_verifier (
        reporting_login_id uuid primary key references reporting_login (id) on delete cascade,
        verifier text not null,
        -- The connections that were being opened when its role was closed.
        opening integer[]
      )`);
    this.addSql(`
      do $$ declare found record;
      begin
        for found in select l.username as name from reporting_login l join pg_roles r on r.rolname = l.username
          where shobj_description(r.oid, 'pg_authid') is null
        loop
          begin execute format('comment on role %I is %L', found.name,
            'A reporting login of the database ' || (select d.oid::text from pg_database d where d.datname = current_database()));
          exception when insufficient_privilege then null; end;
        end loop;
        if exists (select from reporting_login) then
          for found in select p.oid::regprocedure::text as name from pg_proc p
            where p.pronamespace = 'pg_catalog'::regnamespace and p.proname = 'pg_logical_emit_message'
          loop
            execute format('revoke execute on function %s from public', found.name);
          end loop;
        end if;
      exception when insufficient_privilege then null;
      end $$`);
  }
}

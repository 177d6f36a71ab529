import { Migration } from '@mikro-orm/migrations';

/**
 * The triggers that note changes compare rows before and after an update. PostgreSQL plans that once for a connection, for as many rows as the first
 * statement there had: after a statement of a few rows it went through all rows of before for each one of after, and a batch of 600 imported records took
 * 360,000 comparisons twice. A hash costs the same for few rows. Where rows are looked up in other tables, too, nothing is changed: a look-up by an index
 * is a nested loop.
 */
export class JoinChangesByHash extends Migration {
  override up(): void {
    this.addSql(`
      -- To be called after watch_changes.
      create function join_changes_by_hash() returns void language plpgsql as $join$
      declare
        fn regprocedure;
      begin
        for fn in select p.oid::regprocedure from pg_proc p
          where p.pronamespace = 'public'::regnamespace and p.proname ~ '^note_.*_[0-9a-f]{8}$' and p.prosrc like '%join old_rows o on %'
            -- No other table is read.
            and regexp_replace(p.prosrc, 'is distinct from|from (new_rows|old_rows|\\(select n\\.\\*)', '', 'g') !~ '\\mfrom\\M'
        loop
          execute format('alter function %s set enable_nestloop = off', fn);
        end loop;
      end $join$`);
    this.addSql('select join_changes_by_hash()');
  }
}

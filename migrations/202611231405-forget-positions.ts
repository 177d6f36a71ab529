import { Migration } from '@mikro-orm/migrations';

/** Months of positions that nobody keeps any more go as whole tables; what a person had the office forget stays forgotten. */
export class ForgetPositions extends Migration {
  override up(): void {
    // The application owns no tables. The limits keep it from dropping what some company may still keep.
    this.addSql(`
      create function drop_position_months(before timestamptz) returns integer
        language plpgsql security definer set search_path = public, pg_temp as $$
        declare
          part record;
          dropped integer := 0;
        begin
          if before > now() - interval '30 days' then raise exception 'positions are kept for thirty days at least'; end if;
          -- Whoever reads or writes positions waits behind this statement, so it does not wait for them for long. The next round tries again.
          set local lock_timeout = '1s';
          for part in
            select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'location_history'::regclass
              and (replace(right(c.relname, 7), '_', '-') || '-01T00:00:00Z')::timestamptz at time zone 'UTC' + interval '1 month' <= before at time zone 'UTC'
            order by 1
          loop
            execute format('drop table %I', part.relname);
            dropped := dropped + 1;
          end loop;
          return dropped;
        end $$;
      -- Positions of before this moment are not stored again, and no shift of before is measured again.
      alter table app_user add column positions_forgotten_at timestamptz(6);`);
  }
}

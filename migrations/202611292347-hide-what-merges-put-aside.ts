import { Migration } from '@mikro-orm/migrations';

/** The company with which a record was shared sees nothing of the merges of its sender, and must not see the share that one of them put aside. */
export class HideWhatMergesPutAside extends Migration {
  override up(): void {
    this.addSql(`create function is_left_of_merge(p_id uuid) returns boolean language plpgsql stable parallel safe security definer set search_path = public, pg_temp as $$
      begin
        return exists (select from merged_record where remains_id = p_id);
      end $$`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Who acted as the author of an event of a job, or as the uploader of a file. Older rows do not say it, and stay as they are. */
export class KeepRealActors extends Migration {
  override up(): void {
    for (const table of ['job_event', 'file_attachment'])
      this.addSql(`alter table ${table} add column real_actor_type text, add column real_actor_id uuid, add column real_actor_name text`);
  }
}

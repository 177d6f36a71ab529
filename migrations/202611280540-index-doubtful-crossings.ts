import { Migration } from '@mikro-orm/migrations';

/** Lists of crossings about which a person should decide find those that moved a job in the last hour. */
export class IndexDoubtfulCrossings extends Migration {
  override up(): void {
    this.addSql(`
      -- What moved a job and is doubted, by when that was noted: few of all crossings.
      create index geofence_trigger_doubtful_idx on geofence_trigger (company_id, updated_at)
        where job_event_id is not null and skip_reason is null and (state = 'superseded' or (state = 'applied' and confidence < 0.8))`);
  }
}

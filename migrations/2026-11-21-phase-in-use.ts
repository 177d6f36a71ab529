import { Migration } from '@mikro-orm/migrations';

/** What is booked on a phase is found when the phase goes: by the foreign keys as well, which would read every job and load. */
export class PhaseInUse extends Migration {
  override up(): void {
    for (const table of ['job', 'load']) this.addSql(`create index ${table}_phase_idx on ${table} (phase_id) where phase_id is not null`);
  }
}

import { Migration } from '@mikro-orm/migrations';

const PARENTS = ['account', 'driver', 'rate', 'project', 'site_rate_schedule', 'order', 'job', 'job_assignment'].map((of) => `${of}_id`);
const FIRST = `case ${PARENTS.slice(0, -1)
  .map((id) => `when ${id} is not null then ${id}`)
  .join(' ')} else ${PARENTS.at(-1)} end`;

export class FindAutoAddOns extends Migration {
  override up(): void {
    this.addSql(`
      drop index auto_add_on_assignment_root_key;
      -- One record has a root once on each side; what applies to a job, and what a record has, is found by the id of the record. A coalesce
      -- would not find it below row-level security, because PostgreSQL does not take it for leakproof.
      create unique index auto_add_on_assignment_root_key on auto_add_on_assignment (
        (${FIRST}), side, coalesce(original_auto_add_on_assignment_id, id));`);
  }
}

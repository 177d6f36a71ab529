import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';

/** What changes the days of drivers, and the companies that learn of it by this alone; null: all that see the day. */
const OF_DAYS: readonly [table: string, ids: string, reader: string | null][] = [
  ['job', '(select r.driver_day_id)', null],
  ['job', '(select r.driver_day_id)', '(select a.customer_company_id from job_assignment a where a.job_id = r.id)'],
  ['load', '(select j.driver_day_id from job j where j.id = r.job_id)', null],
  ['ticket', '(select j.driver_day_id from job j where j.id = r.job_id)', null],
  ['job_assignment', '(select j.driver_day_id from job j where j.id = r.job_id)', '(select r.customer_company_id)'],
];
/** The company of a day. Rows of jobs are compared by a hash (`join_changes_by_hash`), which a function leaves as it is that looks up no other table by itself. */
const companyIn = (table: string): string =>
  table === 'job' ? 'company_of_day(subject.id)' : '(select d.company_id from driver_day d where d.id = subject.id)';
/** The preview of a ticket, which no day counts. */
const PREVIEW = ['preview_due_at', 'preview_attempts', 'preview_id', 'preview_mime_type', 'preview_size'];

/**
 * A day is noted as one of the company whose driver has it. It was one of the owner of the job: that learned of days two links away, with their ids, and the
 * driver's own company of none that its customers' work changed.
 */
export class NoteDaysForTheirCompany extends Migration {
  override up(): void {
    this.addSql(`
      create function company_of_day(p_day uuid) returns uuid language sql stable as $$
        select d.company_id from driver_day d where d.id = p_day $$`);
    for (const [table, ids, reader] of OF_DAYS) this.#again(table, ids, reader, table === 'ticket' ? PREVIEW : []);
    this.addSql('select join_changes_by_hash()');
  }

  /** Has changes noted for another company: the name of the function, whose triggers stay, is made of all else. */
  #again(table: string, ids: string, reader: string | null, unnoticed: readonly string[]): void {
    const part = createHash('md5')
      .update(`${table}'DriverDay'${ids}${reader ?? ''}`)
      .digest('hex')
      .slice(0, 8);
    const text = (value: string | null) => (value === null ? 'null' : `$sql$${value}$sql$`);
    const list = `array[${unnoticed.map((name) => `'${name}'`).join(', ')}]::text[]`;
    this.addSql(`select 'note_${table}_${part}()'::regprocedure`);
    this.addSql(
      `select watch_changes_otherwise('${table}', $sql$'DriverDay'$sql$, ${text(ids)}, '${companyIn(table)}', ${text(reader)}, false, ${list})`,
    );
  }
}

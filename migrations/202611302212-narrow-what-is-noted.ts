import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';

/** When a preview is due and how often it was tried: no record shows that. */
const QUEUED = ['preview_due_at', 'preview_attempts'];
/** The preview itself, which a ticket and its load show; a job, an order and a day count the ticket. */
const PREVIEW = [...QUEUED, 'preview_id', 'preview_mime_type', 'preview_size'];
/** What changes with a ticket, and the columns of the ticket by which it does not. */
const WITH_TICKETS: readonly [type: string, ids: string, unnoticed: readonly string[]][] = [
  ['Load', '(select r.load_id)', QUEUED],
  ['Job', '(select r.job_id)', PREVIEW],
  ['Order', '(select r.order_id)', PREVIEW],
  ['DriverDay', '(select j.driver_day_id from job j where j.id = r.job_id)', PREVIEW],
];

/** The vendors that have the job of a link: whoever comes or goes, they read or lose the files of one another. */
const HAVE_IT = `(select r.vendor_company_id union select a.vendor_company_id from job_assignment a where a.job_id = r.job_id)`;
const FILES = `(select f.id from file_attachment f where f.file_attachable_type = 'Job' and f.file_attachable_id = r.job_id
      union all select f.id from load l join file_attachment f on f.file_attachable_type = 'Load' and f.file_attachable_id = l.id where l.job_id = r.job_id)`;
/** What says of a link who has the job. */
const WHO = ['job_id', 'vendor_company_id'];

/** Loads, jobs, orders and days do not change when a preview of a ticket is due or tried, and files of a job not when its vendor stays and is paid otherwise. */
export class NarrowWhatIsNoted extends Migration {
  override up(): void {
    this.addSql(`
      do $do$ begin
        -- watch_changes without its triggers, for those that there are: locks no table, so that who imports all day keeps no upgrade waiting.
        execute regexp_replace(
          replace(replace(pg_get_functiondef('watch_changes(text, text, text, text, text, boolean, text[])'::regprocedure),
            'FUNCTION public.watch_changes(', 'FUNCTION public.watch_changes_otherwise('), 'create function %I()', 'create or replace function %I()'),
          $re$execute format\\('create trigger[^;]*;$re$, '', 'g');
      end $do$`);
    for (const [type, ids, unnoticed] of WITH_TICKETS)
      this.#again('ticket', `'${type}'`, ids, null, `array[${unnoticed.map((name) => `'${name}'`).join(', ')}]::text[]`);
    this.#again(
      'job_assignment',
      `'FileAttachment'`,
      FILES,
      HAVE_IT,
      `array(select attname::text from pg_attribute where attrelid = 'job_assignment'::regclass and attnum > 0 and not attisdropped
        and attname <> all (array[${WHO.map((name) => `'${name}'`).join(', ')}]))`,
    );
    this.addSql('select join_changes_by_hash()');
  }

  /** Has changes noted for fewer changes of the row: the name of the function, whose triggers stay, is made of all else. */
  #again(table: string, type: string, ids: string, reader: string | null, unnoticed: string): void {
    const part = createHash('md5')
      .update(`${table}${type}${ids}${reader ?? ''}`)
      .digest('hex')
      .slice(0, 8);
    const text = (value: string | null) => (value === null ? 'null' : `$sql$${value}$sql$`);
    this.addSql(`select 'note_${table}_${part}()'::regprocedure`);
    this.addSql(
      `select watch_changes_otherwise('${table}', ${text(type)}, ${text(ids)}, 'r.company_id', ${text(reader)}, false, ${unnoticed})`,
    );
  }
}

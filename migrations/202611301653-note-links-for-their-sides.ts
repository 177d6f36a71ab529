import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';

/** The vendors that have the job of a link: whoever comes or goes, they read or lose the files of one another. */
const HAVE_IT = `(select r.vendor_company_id union select a.vendor_company_id from job_assignment a where a.job_id = r.job_id)`;
const VENDOR = '(select r.vendor_company_id)';
const FILES = `(select f.id from file_attachment f where f.file_attachable_type = 'Job' and f.file_attachable_id = r.job_id
      union all select f.id from load l join file_attachment f on f.file_attachable_type = 'Load' and f.file_attachable_id = l.id where l.job_id = r.job_id)`;

/**
 * A link is noted for its two sides, and as that of the company that made it: the owner of the job was informed of links between others, with their ids.
 * Files are noted for all who have the job when somebody comes or goes.
 */
export class NoteLinksForTheirSides extends Migration {
  override up(): void {
    this.#again(`'JobAssignment'`, '(select r.id)', 'r.customer_company_id', ['', null], true);
    this.#again(`'JobAssignment'`, '(select r.id)', 'r.customer_company_id', [VENDOR, VENDOR], false);
    this.#again(`'FileAttachment'`, FILES, 'r.company_id', [VENDOR, HAVE_IT], false);
    this.addSql('select join_changes_by_hash()');
  }

  /** Has the changes of links noted otherwise: for whom they were noted is a part of the names of the triggers. */
  #again(type: string, ids: string, company: string, [before, reader]: [string, string | null], kept: boolean): void {
    const part = createHash('md5').update(`job_assignment${type}${ids}${before}`).digest('hex').slice(0, 8);
    const text = (value: string | null) => (value === null ? 'null' : `$sql$${value}$sql$`);
    this.addSql(`drop function note_job_assignment_${part}() cascade`);
    this.addSql(
      `select watch_changes('job_assignment', ${text(type)}, ${text(ids)}, '${company}', ${text(reader)}, ${kept}, array[]::text[])`,
    );
  }
}

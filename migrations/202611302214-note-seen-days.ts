import { Migration } from '@mikro-orm/migrations';

/**
 * The days of their vendors that companies see who follow their feeds: no sight of them was kept, because to the owner of a job they were its own. By itself,
 * because it reads what the triggers of the days lock.
 */
export class NoteSeenDays extends Migration {
  override up(): void {
    this.addSql(`
      insert into change_sight (company_id, reader_id, subject_id, subject_type)
        select distinct k.company_id, k.reader_id, d.id, 'DriverDay' from change_reader k join job_assignment a on a.customer_company_id = k.company_id
          join job j on j.id = a.job_id join driver_day d on d.id = j.driver_day_id
        where k.reader_id = k.company_id and a.vendor_company_id = d.company_id and d.company_id <> k.company_id
        on conflict do nothing`);
  }
}

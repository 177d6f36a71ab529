import { Migration } from '@mikro-orm/migrations';

/**
 * A task of positions has no foreign key to its company any more. Each position makes one, and the key was checked by locking the row of the company:
 * of a company with two thousand trucks, two hundred transactions in a second shared that lock, and each of them kept a list of the others. What a task
 * names was checked when its position was stored, and positions have no foreign keys either.
 */
export class FreePositionTasks extends Migration {
  override up(): void {
    this.addSql('alter table position_task drop constraint position_task_company_id_fkey');
  }
}

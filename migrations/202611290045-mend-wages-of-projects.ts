import { Migration } from '@mikro-orm/migrations';

/**
 * Wages of projects that were made by one command had been written as a text that has the JSON, of which no wage is found. Projects are few for each
 * company, and none is locked longer than the statement takes.
 */
export class MendWagesOfProjects extends Migration {
  override isTransactional(): boolean {
    return false;
  }
  override up(): void {
    this.addSql(`update project set wages = (wages #>> '{}')::jsonb where jsonb_typeof(wages) = 'string'`);
  }
}

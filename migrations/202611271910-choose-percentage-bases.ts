import { Migration } from '@mikro-orm/migrations';

/** Add-ons say of what their percentage is taken: of the lines, or of lines and fuel. */
export class ChoosePercentageBases extends Migration {
  override up(): void {
    this.addSql(`
      alter table add_on add column percentage_base text not null default 'lines';
      alter table add_on_charge add column percentage_base text not null default 'lines'`);
  }
}

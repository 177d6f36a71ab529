import { Migration } from '@mikro-orm/migrations';

/** As the migration before has it; `n` is an invoice. */
const BOOKS = `n.side || case when n.of_material then ' material' when n.job_assignment_id is not null then ' ' || n.job_assignment_id else '' end`;
/** Lines that are locked at once. */
const BATCH = 10_000;

/**
 * Notes the books of the lines that are there, batch by batch, while everybody goes on. Of lines that bill a load twice, the first one is noted:
 * `npm run invariants` names the load. Begun again, it goes on with what is missing.
 */
export class FillWhoseBillHasLoads extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create or replace procedure fill_books_of_lines() language plpgsql as $$
      declare
        done uuid := '00000000-0000-0000-0000-000000000000';
        upto uuid;
      begin
        loop
          select b.id into upto from (select id from invoice_line_item where id > done order by id limit ${BATCH}) b order by b.id desc limit 1;
          exit when upto is null;
          -- Nobody who follows invoices has to learn of this. An owner who may not say so sends them an update.
          begin
            perform set_config('session_replication_role', 'replica', true);
          exception when insufficient_privilege then
            null;
          end;
          update invoice_line_item li set books = ${BOOKS} from invoice n
            where li.id > done and li.id <= upto and li.books is null and li.load_id is not null and li.corrects_id is null and n.id = li.invoice_id and n.state <> 'voided'
              and not exists (select from invoice_line_item o join invoice m on m.id = o.invoice_id
                where o.load_id = li.load_id and o.company_id = li.company_id and o.line_item_type = li.line_item_type and o.part = li.part and o.id <> li.id
                  and o.corrects_id is null and m.state <> 'voided' and (m.side, m.of_material, m.job_assignment_id) is not distinct from (n.side, n.of_material, n.job_assignment_id)
                  and (o.books is not null or o.id < li.id));
          commit;
          done := upto;
        end loop;
      end $$`);
    this.addSql('call fill_books_of_lines()');
    this.addSql('drop procedure fill_books_of_lines');
  }
}

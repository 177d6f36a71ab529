import { Migration } from '@mikro-orm/migrations';

/** The books in which a line bills its load: a side, with the link of a chain, or the material of a supplier. `n` is an invoice. */
const BOOKS = `n.side || case when n.of_material then ' material' when n.job_assignment_id is not null then ' ' || n.job_assignment_id else '' end`;

/**
 * A line notes the books in which it bills its load, whoever writes it. One that corrects a line, that is for no load, or that is on a voided invoice bills
 * none. The next migrations note it of what is there, and let each load be billed once.
 */
export class NoteWhoseBillHasLoads extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice_line_item add column books text;
      create function note_books_of_line() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
        new.books := case when new.load_id is not null and new.corrects_id is null then (select ${BOOKS} from invoice n where n.id = new.invoice_id and n.state <> 'voided') end;
        return new; end $$;
      create trigger note_books_of_line before insert or update of invoice_id, load_id, corrects_id on invoice_line_item
        for each row execute function note_books_of_line();

      create function note_books_of_invoice() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
        update invoice_line_item li set books = case when n.state <> 'voided' then ${BOOKS} end from invoice n
          where n.id = new.id and li.invoice_id = new.id and li.load_id is not null and li.corrects_id is null;
        return null; end $$;
      create trigger note_books_of_invoice after update of state, side, job_assignment_id, of_material on invoice for each row
        when ((old.state = 'voided', old.side, old.job_assignment_id, old.of_material) is distinct from (new.state = 'voided', new.side, new.job_assignment_id, new.of_material))
        execute function note_books_of_invoice()`);
  }
}

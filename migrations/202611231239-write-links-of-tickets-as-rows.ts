import { Migration } from '@mikro-orm/migrations';

/** A link of a ticket's history has the row in PostgreSQL's text of rows: JSON took seven times as long, for which imports waited. */
export class WriteLinksOfTicketsAsRows extends Migration {
  override up(): void {
    // The first value is the number of this format: one with more columns has another number, and links that are there keep theirs. Times are
    // those of UTC, because their text would depend on the zone of the session.
    this.addSql(`
      create or replace function ticket_content(t ticket) returns text language sql stable parallel safe as $$
        select row(1, t.company_id, t.created_at at time zone 'UTC', t.version, t.state, t.source, t.flagged,
          t.ticket_number, t.quantity, t.unit_of_measure, t.gross_quantity, t.tare_quantity, t.weighed_by, t.acceptance, t.wasted_quantity,
          t.service_date at time zone 'UTC', t.printed_at at time zone 'UTC', t.voided_at at time zone 'UTC', t.notes,
          t.load_id, t.job_id, t.order_id, t.material_id, t.account_id, t.site_id, t.equipment_id,
          t.replaced_quantity, t.replaced_unit_of_measure, t.image_id, t.image_name, t.image_size, t.image_mime_type, t.image_url,
          t.ocr_processed, t.ocr_ticket_number, t.ocr_ticket_number_confidence, t.ocr_net_quantity_ton, t.ocr_net_quantity_ton_confidence,
          t.ocr_service_date at time zone 'UTC', t.ocr_service_date_raw_str, t.ai_processed,
          t.external_truck_id, t.external_vendor_name, t.external_material_material_name, t.external_net_weight,
          t.external_net_weight_unit, t.external_ticket_number)::text $$`);

    // The hash of a link: over the link before (or the id of the ticket), its number, its time in UTC and the row.
    this.addSql(`
      create or replace function ticket_link_hash(before bytea, number integer, at timestamptz, content text) returns bytea
        language sql stable parallel safe as $$
        select sha256(before || convert_to(number || '|' || (at at time zone 'UTC') || '|' || content, 'UTF8')) $$`);

    // No version was released in between: histories begin anew.
    this.addSql(`
      delete from ticket_history;
      insert into ticket_history (ticket_id, number, company_id, written_at, content, hash)
      select t.id, 1, t.company_id, now(), ticket_content(t), ticket_link_hash(uuid_send(t.id), 1, now(), ticket_content(t)) from ticket t`);
  }
}

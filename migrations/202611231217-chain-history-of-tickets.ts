import { Migration } from '@mikro-orm/migrations';

/** The history of each ticket as a chain: each link has the row as it was written, and a hash over that and the link before. */
export class ChainHistoryOfTickets extends Migration {
  override up(): void {
    // What a ticket says and what it belongs to, as text. Its preview is no part of it. Times are seconds of the epoch, because their text would depend
    // on the zone of the session. What is null is left out, so that a column that is added later changes no text.
    this.addSql(`
      create function ticket_content(t ticket) returns text language sql stable parallel safe as $$
        select json_strip_nulls(json_build_object(
          'company_id', t.company_id, 'created_at', extract(epoch from t.created_at), 'version', t.version,
          'state', t.state, 'source', t.source, 'flagged', t.flagged,
          'ticket_number', t.ticket_number, 'quantity', t.quantity, 'unit_of_measure', t.unit_of_measure,
          'gross_quantity', t.gross_quantity, 'tare_quantity', t.tare_quantity, 'weighed_by', t.weighed_by,
          'acceptance', t.acceptance, 'wasted_quantity', t.wasted_quantity,
          'service_date', extract(epoch from t.service_date), 'printed_at', extract(epoch from t.printed_at),
          'voided_at', extract(epoch from t.voided_at), 'notes', t.notes,
          'load_id', t.load_id, 'job_id', t.job_id, 'order_id', t.order_id, 'material_id', t.material_id,
          'account_id', t.account_id, 'site_id', t.site_id, 'equipment_id', t.equipment_id,
          'replaced_quantity', t.replaced_quantity, 'replaced_unit_of_measure', t.replaced_unit_of_measure,
          'image_id', t.image_id, 'image_name', t.image_name, 'image_size', t.image_size,
          'image_mime_type', t.image_mime_type, 'image_url', t.image_url,
          'ocr', case when t.ocr_processed then json_build_object(
            'ticket_number', t.ocr_ticket_number, 'ticket_number_confidence', t.ocr_ticket_number_confidence,
            'net_quantity_ton', t.ocr_net_quantity_ton, 'net_quantity_ton_confidence', t.ocr_net_quantity_ton_confidence,
            'service_date', extract(epoch from t.ocr_service_date), 'service_date_raw_str', t.ocr_service_date_raw_str) end,
          'ai_processed', nullif(t.ai_processed, false),
          'external_truck_id', t.external_truck_id, 'external_vendor_name', t.external_vendor_name,
          'external_material_material_name', t.external_material_material_name, 'external_net_weight', t.external_net_weight,
          'external_net_weight_unit', t.external_net_weight_unit, 'external_ticket_number', t.external_ticket_number))::text $$`);

    // The hash of a link: over the link before (or the id of the ticket), its number, its time in microseconds and the row.
    this.addSql(`
      create function ticket_link_hash(before bytea, number integer, at timestamptz, content text) returns bytea
        language sql immutable parallel safe as $$
        select sha256(before || convert_to(number || '|' || (extract(epoch from at) * 1000000)::bigint || '|' || content, 'UTF8')) $$`);

    this.addSql(`
      create table ticket_history (
        ticket_id uuid not null,
        number integer not null,
        company_id uuid not null,
        written_at timestamptz(6) not null,
        content text not null,
        hash bytea not null,
        -- The links of a ticket in their order. No keys to tickets and companies: the history of a deleted ticket stays.
        primary key (ticket_id, number)
      )`);

    // Tickets from before are chained from now on.
    this.addSql(`
      insert into ticket_history (ticket_id, number, company_id, written_at, content, hash)
      select t.id, 1, t.company_id, now(), ticket_content(t), ticket_link_hash(uuid_send(t.id), 1, now(), ticket_content(t)) from ticket t`);
  }
}

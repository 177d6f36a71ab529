import { ref } from '@mikro-orm/core';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { convert } from '../../dispatch/model/units-of-rates.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { Ticket } from '../ticket.entity.ts';
import type { Reading } from './reader-answer.ts';

/** The records that are called as was read, and whether the number that was read is another ticket's. */
interface Known {
  material: string | null;
  site: string | null;
  taken: boolean;
}

/** The record of a name; if none has it, the one into which a record of the name was merged. */
const named = (table: 'material' | 'site', name: string) => `coalesce(
    (select k.id from ${table} k where k.company_id = $1 and k.match_name = fold_text(${name}) and k.discarded_at is null order by k.id limit 1),
    (select k.id from ${table} f join merged_record m on m.remains_id = f.id join ${table} k on k.id = m.kept_id
      where f.company_id = $1 and f.match_name = fold_text(${name}) and k.discarded_at is null order by k.id limit 1))`;

const KNOWN = `select ${named('material', '$2')} as material, ${named('site', '$3')} as site,
  exists (select from ticket t where t.company_id = $1 and t.ticket_number = $4 and t.voided_at is null) as taken`;

const percent = (confidence: number) => new Decimal(confidence).toDecimalPlaces(2);

/**
 * Notes on a ticket what was recognised. Fields that are empty are filled by what the reader is sure of, while the ticket may be edited: what
 * a person or a scale said stays.
 * @param threshold per cent of confidence from which on a field is filled
 * @returns the least confidence of the fields that were used; null if none was
 */
export async function fillTicket({ query }: SetTx, ticket: Ticket, { fields }: Reading, threshold: number): Promise<number | null> {
  const { ticket_number: number, net_quantity: net, unit, gross, tare, service_date: served, material, truck, site } = fields;
  const tons = net && unit && convert(net.value, unit.value, 'Ton');
  Object.assign(ticket, {
    ocrTicketNumber: number?.value ?? null,
    ocrTicketNumberConfidence: number ? percent(number.confidence) : null,
    ocrNetQuantityTon: tons?.toDecimalPlaces(4) ?? null,
    ocrNetQuantityTonConfidence: tons ? percent(Math.min(net.confidence, unit.confidence)) : null,
    ocrServiceDate: served?.value ?? null,
    ocrServiceDateRawStr: served?.raw ?? null,
  });
  if (ticket.state !== 'new' && ticket.state !== 'pending') return null;
  const names = [ticket.company.id, material?.value ?? null, site?.value ?? null, number?.value ?? null];
  const [known] = await query<Known>(KNOWN, names);
  const used: number[] = [];
  const fill = (field: keyof Ticket, value: unknown, ...confidences: (number | undefined)[]): boolean => {
    const least = Math.min(...confidences.map((one) => one ?? -1));
    if (least < threshold || value === null || value === undefined || (ticket[field] ?? null) !== null) return false;
    Object.assign(ticket, { [field]: value });
    used.push(least);
    return true;
  };
  if (!known?.taken) fill('ticketNumber', number?.value, number?.confidence);
  if (unit && fill('quantity', net?.value, net?.confidence, unit.confidence)) ticket.unitOfMeasure = unit.value;
  // Weights are filled in the unit of the quantity, and only if the empty truck is not the heavier one.
  const unweighed = (ticket.grossQuantity ?? null) === null && (ticket.tareQuantity ?? null) === null;
  if (unweighed && gross && tare?.value.lte(gross.value) && unit?.value === ticket.unitOfMeasure) {
    fill('grossQuantity', gross.value, gross.confidence, tare.confidence);
    fill('tareQuantity', tare.value, gross.confidence, tare.confidence);
  }
  fill('serviceDate', served?.value, served?.confidence);
  fill('material', known?.material && ref(Material, known.material), material?.confidence);
  fill('site', known?.site && ref(Site, known.site), site?.confidence);
  fill('externalTruckId', truck?.value, truck?.confidence);
  return used.length > 0 ? Math.min(...used) : null;
}

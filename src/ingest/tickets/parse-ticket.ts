import { Decimal, readDecimal } from '../../platform/decimal.ts';
import type { Rule } from '../../platform/graphql/rules.ts';
import { LIMITS } from '../payload/limits.ts';
import { DIGITS } from '../payload/numbers.ts';
import type { Named } from '../payload/order-draft.ts';
import { type Parsed, parsedBy } from '../payload/parsed.ts';
import { type Json, PayloadReader } from '../payload/payload-reader.ts';
import { warnOfUnknownFields } from '../payload/unknown-fields.ts';
import type { TicketDraft } from './ticket-draft.ts';

const FIELDS: ReadonlySet<string> = new Set([
  ...['ticket_number', 'service_date', 'quantity', 'unit_of_measure', 'truck_id', 'platform_order_id', 'order_external_id'],
  ...['dispatch_number', 'material', 'customer', 'vendor', 'site', 'notes', 'metadata', 'gross_quantity', 'tare_quantity', 'weighed_by'],
]);

/** A weight that is zero once it is rounded is none. */
const POSITIVE: Pick<Rule, 'check'> = {
  check: (value) => {
    const quantity = value as Decimal;
    if (quantity.toDecimalPlaces(DIGITS, Decimal.ROUND_HALF_UP).gt(0)) return undefined;
    return { key: quantity.gt(0) ? 'ticket_quantity_too_small' : 'ticket_quantity_not_positive', params: {} };
  },
};

/**
 * Reads one ticket payload (SPEC "POST /ingest/tickets"). All missing and wrong values fail the record at once; an unknown unit is taken as
 * tons with a warning.
 * @param zone the company's, for a `service_date` without an offset
 * @param region ISO country of the company
 */
export function parseTicket(payload: Json, zone: string, region: 'US' | 'CA'): Parsed<TicketDraft> {
  const reader = new TicketReader(payload, zone, region);
  return parsedBy(reader, reader.read());
}

class TicketReader extends PayloadReader {
  /** A ticket has no root fields that are copied without rules. */
  readonly limits = {};

  read(): TicketDraft {
    warnOfUnknownFields(this.payload, FIELDS, this.warnings);
    const givenUnit = this.required('unit_of_measure') ?? '';
    return {
      unit: givenUnit === '' ? 'Ton' : this.unit(givenUnit, '/unit_of_measure'),
      givenUnit,
      ticketNumber: this.required('ticket_number', LIMITS.ticketNumber) ?? '',
      serviceDate: this.requiredInstant('service_date'),
      quantity: this.#quantity(),
      ...this.#weights(),
      weighedBy: this.nameOf(this.payload.weighed_by, '/weighed_by', LIMITS.weighedBy),
      givenQuantity: readDecimal(this.payload.quantity)?.toDecimalPlaces(DIGITS).toFixed() ?? '0',
      truckId: this.required('truck_id', LIMITS.truckId) ?? '',
      platformOrderId: this.text(this.payload.platform_order_id, '/platform_order_id'),
      orderExternalId: this.id(this.payload.order_external_id, '/order_external_id', LIMITS.orderExternalId),
      dispatchNumber: this.dispatchNumber(),
      material: this.#part('material'),
      customer: this.#part('customer'),
      vendor: this.#part('vendor'),
      site: this.#part('site'),
      notes: this.text(this.payload.notes, '/notes'),
      warnings: this.warnings,
    };
  }

  #quantity(): string {
    const given = this.payload.quantity ?? '';
    if (typeof given !== 'string' || given.trim() !== '')
      return this.decimal(given, '/quantity', POSITIVE, this.payload.unit_of_measure) ?? '0';
    this.missing('/quantity');
    return '0';
  }

  /** The empty truck is not heavier than the loaded one, as in a request. Whether the two come to the quantity is a matter of the review. */
  #weights(): Pick<TicketDraft, 'gross' | 'tare'> {
    const weight = (field: 'gross_quantity' | 'tare_quantity') => {
      const given = this.payload[field];
      const isBlank = typeof given === 'string' && given.trim() === '';
      return isBlank ? null : this.decimal(given, `/${field}`, LIMITS.weight, this.payload.unit_of_measure);
    };
    const [gross, tare] = [weight('gross_quantity'), weight('tare_quantity')];
    if (gross !== null && tare !== null && new Decimal(tare).gt(gross))
      this.problems.push({ code: 'invalid_number', pointer: '/tare_quantity', key: 'more_than_whole', params: { whole: gross } });
    return { gross, tare };
  }

  /** A scale may send only the number of a material or site. */
  #part(field: 'material' | 'customer' | 'vendor' | 'site'): Named | undefined {
    const given = this.payload[field];
    const limits = LIMITS[field];
    return this.namedOf(typeof given === 'number' ? this.text(given, `/${field}`, limits.name) : given, `/${field}`, limits);
  }
}

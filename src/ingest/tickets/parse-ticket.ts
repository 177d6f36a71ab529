import { Decimal, fitsNumeric, readDecimal } from '../../platform/decimal.ts';
import type { Rule } from '../../platform/graphql/rules.ts';
import type { Problem, Warning } from '../importer.ts';
import '../ingest.messages.ts';
import { isExact, isShortened } from '../key.ts';
import { LIMITS } from '../limits.ts';
import { readMoment } from '../moments.ts';
import { DIGITS, rounded } from '../numbers.ts';
import './ticket.messages.ts';
import { unitNamed } from '../orders/units.ts';
import { warnOfUnknownFields } from '../unknown-fields.ts';
import type { NamedDraft, ParsedTicket } from './ticket-draft.ts';

type Json = Record<string, unknown>;
const LONGEST = 10_000;
const FIELDS: ReadonlySet<string> = new Set([
  ...['ticket_number', 'service_date', 'quantity', 'unit_of_measure', 'truck_id', 'platform_order_id', 'dispatch_number'],
  ...['material', 'customer', 'vendor', 'site', 'notes', 'metadata'],
]);

/**
 * Reads one ticket payload (SPEC "POST /ingest/tickets"): all that is missing or wrong fails the record at once; an unknown unit is
 * taken as tons and noted.
 * @param zone the company's, for a `service_date` without an offset
 */
export function parseTicket(payload: Json, zone: string): ParsedTicket {
  const problems: Problem[] = [];
  const warnings: Warning[] = [];
  warnOfUnknownFields(payload, FIELDS, warnings);

  const text = (value: unknown, pointer: string, limit?: Rule): string | undefined => {
    if (value === undefined || value === null) return undefined;
    // Spreadsheets send ids as numbers.
    if (typeof value === 'number' && isExact(value)) return String(value);
    if (typeof value === 'number') problems.push({ code: 'invalid_text', pointer, key: 'import_digits_lost' });
    else if (typeof value !== 'string') problems.push({ code: 'invalid_text', pointer, key: 'not_a_string' });
    else if (value.length > LONGEST)
      problems.push({ code: 'invalid_text', pointer, key: 'wrong_length', params: { min: 0, max: LONGEST } });
    else {
      const broken = limit?.check(value.trim());
      if (broken && value.trim() !== '') problems.push({ code: 'invalid_text', pointer, ...broken });
      else return value.trim() || undefined;
    }
    return undefined;
  };
  const required = (field: string, limit?: Rule): string | undefined => {
    const before = problems.length;
    const value = text(payload[field], `/${field}`, limit);
    if (value === undefined && problems.length === before) problems.push({ code: 'missing_field', pointer: `/${field}`, key: 'required' });
    else if (value !== undefined && isShortened(value))
      problems.push({ code: 'invalid_text', pointer: `/${field}`, key: 'import_id_shortened' });
    return value;
  };
  const named = (field: 'material' | 'customer' | 'vendor' | 'site'): NamedDraft | undefined => {
    const value = payload[field];
    const pointer = `/${field}`;
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object') {
      const name = text(value, pointer, LIMITS[field].name);
      return name === undefined ? undefined : { pointer, name };
    }
    if (Array.isArray(value)) {
      problems.push({ code: 'invalid_object', pointer, key: 'not_an_object' });
      return undefined;
    }
    const given = value as Json;
    const externalId = text(given.external_id, `${pointer}/external_id`, LIMITS[field].externalId);
    const name = text(given.name, `${pointer}/name`, LIMITS[field].name);
    return externalId === undefined && name === undefined ? undefined : { pointer, externalId, name };
  };
  const quantity = (): string => {
    const given = payload.quantity ?? '';
    if (typeof given === 'string' && given.trim() === '') {
      problems.push({ code: 'missing_field', pointer: '/quantity', key: 'required' });
      return '0';
    }
    const number = readDecimal(given);
    if (!number) problems.push({ code: 'invalid_number', pointer: '/quantity', key: 'decimal_invalid' });
    else if (!fitsNumeric(number)) problems.push({ code: 'invalid_number', pointer: '/quantity', key: 'decimal_out_of_range' });
    else if (!number.toDecimalPlaces(4, Decimal.ROUND_HALF_UP).gt(0))
      problems.push({ code: 'invalid_number', pointer: '/quantity', key: 'ticket_quantity_not_positive' });
    else return rounded(number, DIGITS, given, '/quantity', warnings);
    return '0';
  };
  const serviceDate = (): Date => {
    const given = required('service_date');
    const instant = given === undefined ? undefined : readMoment(given, zone, '/service_date', warnings);
    if (given !== undefined && !instant) problems.push({ code: 'invalid_timestamp', pointer: '/service_date', key: 'invalid_timestamp' });
    return instant ?? new Date(0);
  };

  const givenUnit = required('unit_of_measure') ?? '';
  const unit = unitNamed(givenUnit);
  // SPEC: an unrecognised unit falls back to Ton.
  if (givenUnit && !unit) warnings.push({ code: 'unknown_unit', pointer: '/unit_of_measure', given: givenUnit, used: 'Ton' });
  const dispatch = payload.dispatch_number;
  const inObject = typeof dispatch === 'object' && dispatch !== null && !Array.isArray(dispatch);
  const draft = {
    ticketNumber: required('ticket_number', LIMITS.ticketNumber) ?? '',
    serviceDate: serviceDate(),
    quantity: quantity(),
    unit: unit ?? 'Ton',
    givenUnit,
    truckId: required('truck_id', LIMITS.truckId) ?? '',
    platformOrderId: text(payload.platform_order_id, '/platform_order_id'),
    dispatchNumber: inObject ? text((dispatch as Json).name, '/dispatch_number/name') : text(dispatch, '/dispatch_number'),
    material: named('material'),
    customer: named('customer'),
    vendor: named('vendor'),
    site: named('site'),
    notes: text(payload.notes, '/notes'),
    warnings,
  };
  const [first, ...more] = problems;
  return first ? { failure: { state: 'failed', ...first, more, warnings } } : { draft };
}

import type { Picture } from '../review/review-api.ts';
import { ask } from '../server/request.ts';

/** The explanation of a figure, as the API has it. */
export interface Figure {
  label: string;
  amount: string;
  operation: string;
  places?: number;
  source?: { type: string; id: string; version?: number };
  /** Of a rate: where it is from, and by which conditions it was chosen. */
  chosen?: { source: string; matched: readonly string[] };
  parts?: Figure[];
}

/** A ticket that says a quantity. */
export interface SourceTicket extends Picture {
  ticketNumber: string | null;
  quantity: string | null;
  unitOfMeasure: string;
  state: string;
}
export const readTicket = async (id: string): Promise<SourceTicket> =>
  (
    await ask<{ ticket: SourceTicket }>(
      'query($id: ID!) { ticket(id: $id) { ticketNumber quantity unitOfMeasure state imageUrl imageMimeType previewUrl } }',
      { id },
    )
  ).ticket;

/** The names of records, by their type: the root field, and the field of it. */
const NAMED: Record<string, [query: string, field: string]> = {
  Rate: ['rate', 'name'],
  Job: ['job', 'jobId'],
  Order: ['order', 'orderId'],
  Load: ['load', 'loadId'],
  Material: ['material', 'name'],
  AddOnCharge: ['addOnCharge', 'name'],
  AutoAddOnAssignment: ['autoAddOnAssignment', 'name'],
  DriverDay: ['driverDay', 'driverDayId'],
};
export const isNamed = (type: string): boolean => Object.hasOwn(NAMED, type);

/** Returns what a record is called. @throws Error for one that is gone, or that the person does not see */
export async function readName(type: string, id: string): Promise<string> {
  const [query, field] = NAMED[type]!;
  const { found } = await ask<{ found: Record<string, string> }>(`query($id: ID!) { found: ${query}(id: $id) { ${field} } }`, { id });
  return found[field]!;
}

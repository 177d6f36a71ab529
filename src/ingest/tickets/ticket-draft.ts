import type { UnitOfMeasure } from '../../directory/units.ts';
import type { Failure, Warning } from '../importer.ts';

/** A nested record as a ticket names it. */
export interface NamedDraft {
  pointer: string;
  externalId?: string;
  name?: string;
}

/** One payload, read. */
export interface TicketDraft {
  ticketNumber: string;
  serviceDate: Date;
  /** Decimal text. */
  quantity: string;
  unit: UnitOfMeasure;
  /** The unit as it was sent. */
  givenUnit: string;
  truckId: string;
  platformOrderId?: string;
  dispatchNumber?: string;
  material?: NamedDraft;
  customer?: NamedDraft;
  vendor?: NamedDraft;
  site?: NamedDraft;
  notes?: string;
  warnings: Warning[];
}

export type ParsedTicket = { draft: TicketDraft; failure?: undefined } | { draft?: undefined; failure: Failure };

import { provided } from '../application.ts';

/** Whether and when rows leave the database for the storage (docs/operations.md "Years of data"). */
export interface ArchiveSettings {
  on: boolean;
  /** Years for which entries of the audit log stay where the company does not say it; 0 for ever. */
  auditYears: number;
  /** The same for what was sent to the importer. */
  importYears: number;
  /** Days for which events stay that everybody has read. */
  eventDays: number;
  /** After how long the files themselves are deleted, where the company does not say it; 0 for never. */
  deleteAfter: DeleteAfter;
}

/** Counted from the end of the month of which a file has the rows. */
export interface DeleteAfter {
  auditYears: number;
  importYears: number;
  deliveryYears: number;
  eventYears: number;
  positionDays: number;
}

/** Days for which deliveries of webhooks can be looked at and sent again, wherever they go then. */
export const DELIVERY_DAYS = 30;

/** Nobody has said after how long a file may go. */
export const KEPT_FOR_EVER: Readonly<DeleteAfter> = { auditYears: 0, importYears: 0, deliveryYears: 0, eventYears: 0, positionDays: 0 };

/** The product as it starts without settings: nothing is archived, and nothing leaves that only an archive would have. */
export const NO_ARCHIVES: Readonly<ArchiveSettings> = {
  on: false,
  auditYears: 0,
  importYears: 0,
  eventDays: 90,
  deleteAfter: KEPT_FOR_EVER,
};

/** The settings of archiving in this application. */
export const archiveSettings = provided<Readonly<ArchiveSettings>>('settings of archives');

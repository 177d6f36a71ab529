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
}

/** Days for which deliveries of webhooks can be looked at and sent again, wherever they go then. */
export const DELIVERY_DAYS = 30;

/** The product as it starts without settings: nothing is archived, and nothing leaves that only an archive would have. */
export const NO_ARCHIVES: Readonly<ArchiveSettings> = { on: false, auditYears: 0, importYears: 0, eventDays: 90 };

/** How this application archives. */
export const archiveSettings = provided<Readonly<ArchiveSettings>>('settings of archives');

import { of, type Row } from './expectation.ts';

/** A person who retries or skips records may read them. */
const reading = (rows: Row[]): Row[] => rows.map(([name, expected]) => [name, { ...expected, also: 'view_imports' }]);

/** The sender of a batch, while they may send its kind, may read it (test/ingest/api/receipts.test.ts). */
const sending = (rows: Row[]): Row[] =>
  rows.map(([name, expected]) => [name, { ...expected, sent: ['create_order', 'create_project', 'create_ticket'] }]);

/** The permissions of the root fields of src/ingest. */
export const INGEST: Row[] = [
  ...of(undefined, 'company', 'ordersCsvTemplate', 'ticketsCsvTemplate', 'projectsCsvTemplate'),
  ...of(undefined, 'create_ticket', 'ingestTickets'),
  ...of(undefined, 'create_project', 'ingestProjects'),
  ...of(undefined, 'view_imports', 'importedRecords', 'importStatus'),
  ...of('importedRecord', 'view_imports', 'importedRecord'),
  ...of(undefined, 'create_ticket', 'ingestTicketsCsv'),
  ...of(undefined, 'create_project', 'ingestProjectsCsv'),
  ...sending(of('importBatch', 'view_imports', 'importErrorsCsv', 'importBatch', 'importBatchRecords')),
  ...sending(of(undefined, 'view_imports', 'importBatches')),
  ...of(undefined, 'create_order', 'ingestOrders', 'ingestOrdersCsv'),
  ...reading(of(undefined, 'create_order', 'retryImportedRecords', 'skipImportedRecords')),
  ...reading(of('importedRecord', 'create_order', 'retryImportedRecord', 'skipImportedRecord', 'resubmitImportedRecord')),
];

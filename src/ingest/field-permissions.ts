import type { FieldPermissions } from '../platform/authz/field-permissions.ts';

/** What a role must permit for the root fields of this room. */
export const fieldPermissions: FieldPermissions = [
  [['create_ticket'], 'ingestTickets', 'ingestTicketsCsv'],
  [['create_project'], 'ingestProjects', 'ingestProjectsCsv'],
  [['view_imports'], 'importedRecords', 'importStatus', 'importedRecord'],
  // Whoever sent a batch reads it as well.
  [['view_imports', 'create_order', 'create_project', 'create_ticket'], 'importErrorsCsv', 'importBatch', 'importBatchRecords'],
  [['create_order'], 'ingestOrders', 'ingestOrdersCsv'],
  // Which of them is asked of the kind of record.
  [
    ['create_order', 'create_project', 'create_ticket'],
    'retryImportedRecords',
    'skipImportedRecords',
    'retryImportedRecord',
    'skipImportedRecord',
    'resubmitImportedRecord',
  ],
  // Whoever decides what becomes of records reads them, and is answered with them.
  [['view_imports'], 'retryImportedRecords', 'skipImportedRecords', 'retryImportedRecord', 'skipImportedRecord', 'resubmitImportedRecord'],
];

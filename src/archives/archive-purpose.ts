import { definePurpose, reserveForPurposes } from '../platform/database/scope.ts';

/** Writes what is old into files, removes it when they are safe, and files whose time is over: company by company, by the rule of each. */
export const ARCHIVING = definePurpose('archiving', {
  archive_piece: ['select', 'insert', 'update', 'delete'],
  archive_stray: ['select', 'insert', 'update', 'delete'],
  storage_mark: ['select', 'insert'],
  // That a file was deleted is written down.
  audit_entry: ['select', 'insert', 'delete'],
  audit_kept: ['select (id)', 'insert'],
  // It is locked before it is compared.
  webhook_delivery: ['select', 'update (id)', 'delete'],
  webhook_attempt: ['select'],
  outbox_event: ['select', 'delete'],
  notification_cursor: ['select (position)'],
  imported_record: ['select', 'delete'],
  import_batch: ['select', 'delete'],
  import_task: ['select (id)'],
  location_history: ['select', 'delete'],
  // That a row is in a file now is announced to nobody.
  change_pending: ['select (id, writer)', 'delete'],
  company: ['select (id)'],
  company_settings: [
    'select (company_id, audit_retention_years, import_retention_years, position_retention_days, archive_positions, audit_deleted_after_years, imports_deleted_after_years, positions_deleted_after_days)',
  ],
  app_user: ['select (id, company_id, positions_forgotten_at)'],
  // Positions in files may have the former id of who stayed, or of who was forgotten.
  merged_record: ['select (former_id, remains_id, record_merge_id)'],
  record_merge: ['select (id, company_id, kept_id, created_at)'],
  equipment: ['select (id, company_id)'],
});

/** The tables that only the room knows; the database itself notes which pieces were compared. */
export const archivesReserved = reserveForPurposes('archive_stray', 'archive_comparison', 'storage_mark');

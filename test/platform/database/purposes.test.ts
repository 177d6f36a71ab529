import { expect, test } from '@jest/globals';
import { registerRooms } from '../../../src/app/rooms.ts';
import { allPurposes } from '../../../src/platform/database/scope.ts';

registerRooms();

/** Invariants compare whole books, for administrators of the platform alone. */
const INVARIANTS = Object.fromEntries(
  [
    ...[
      'add_on_charge',
      'audit_entry',
      'audit_kept',
      'auto_add_on_assignment',
      'billing_period',
      'driver_day',
      'driver_state_event',
      'file_attachment',
      'import_key',
      'import_task',
    ],
    ...['imported_record', 'invoice', 'invoice_line_item', 'invoice_task', 'job', 'load', 'material'],
    ...['orders', 'project', 'settlement', 'settlement_invoice', 'ticket', 'transition', 'webhook_delivery'],
    ...['webhook_record'],
  ].map((table) => [`invariants ${table}`, 'the check compares books as they are']),
);
/** Tables of which a purpose reads every column, and why. */
const WHOLE: Record<string, string> = {
  'bulk bulk_action': 'the worker carries the whole action out',
  'bulk bulk_action_item': 'the same',
  'deliveries outgoing_message': 'the worker sends the whole message',
  'downloads bulk_download': 'the worker packs the whole download',
  'fences fence_progress': 'the worker carries on where it ended',
  'fences geofence': 'a geofence is compared with positions as a record',
  'fences geofence_trigger': 'the worker compares what it finds with whole triggers',
  'fences routing_geofence': 'a geofence is compared with positions as a record',
  'invoicing invoice_task': 'the worker carries the whole task out',
  'paying_days day_invoice_task': 'the same',
  'keys idempotency_key': 'rows are deleted by their place (ctid), which is a right to the table',
  'ledger import_task': 'the worker carries the whole task out',
  'ledger imported_record': 'the same',
  'open_streams open_stream': 'a process notes whole rows, and removes them',
  'position_tasks position_task': 'the worker carries the whole task out',
  'ticket_matches ticket_match_task': 'the worker carries the whole task out',
  'reviews load_review_task': 'the worker carries the whole task out',
  'sealing sealing_key': 'a key is one secret',
  'shares company_share': 'a share ends or goes on as a record',
  'sign_in machine_client': 'a client is read as a record, with the hashes of its secrets',
  'sign_in rate_limit': 'the library of counters asks by its own statements',
  'sign_in sso_attempt': 'an attempt is taken whole',
  'sign_in sso_connection': 'a connection is read as a record, with all that its provider needs',
  'sign_in sso_ticket': 'a ticket is taken whole',
  'signing signing_key': 'a key is read as a record',
  'sso_secrets sso_secret': 'a connection and its secret',
  'archiving archive_piece': 'a file is written and removed as a record',
  'archiving archive_stray': 'the keys of files that belong to nothing, and nothing else',
  'archiving storage_mark': 'a mark is one row',
  ...Object.fromEntries(
    ['audit_entry', 'import_batch', 'imported_record', 'location_history', 'outbox_event', 'webhook_attempt', 'webhook_delivery'].map(
      (table) => [`archiving ${table}`, 'a file has whole rows'],
    ),
  ),
  ...INVARIANTS,
};

test('a purpose reads the columns of its task by name, or has a reason here', () => {
  const whole = allPurposes().flatMap(({ name, grants }) =>
    Object.entries(grants).flatMap(([table, privileges]) => (privileges.includes('select') ? [`${name} ${table}`] : [])),
  );
  expect(whole.sort()).toEqual(Object.keys(WHOLE).sort());
});

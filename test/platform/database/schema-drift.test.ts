import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities } from '../../../src/app/rooms.ts';
import { namedConstraints } from '../../../src/platform/commands/unique.ts';
import { ormSettings } from '../../../src/platform/database/orm.ts';
import { migratedDatabase } from '../../helpers/database.ts';
import { driftOf, type Exceptions } from '../../helpers/schema-drift.ts';

const EXCEPTIONS: Exceptions = {
  tables: {
    'MikroORM keeps it': ['migration'],
    'a counter, a cache or a lock that statements read and write': [
      'company_counter',
      'geocoded_address',
      'idempotency_key',
      'rate_limit',
      'open_stream',
      'wal_timeline',
      'fence_progress',
      'webhook_record',
      'notification_cursor',
    ],
    'readings, which a worker writes and fields of tickets read': ['ticket_reading'],
    'a queue whose rows only its workers see': [
      'outgoing_message',
      'position_task',
      'invoice_task',
      'day_invoice_task',
      'load_review_task',
      'ticket_match_task',
      'ticket_chase_task',
      'import_task',
      'import_key',
      'parked_file',
      'waiting_ticket',
      'webhook_replay',
    ],
    'who was notified of what, and who wants no texts, which statements of workers read': ['notification', 'sms_consent'],
    'what changed, which triggers and a function of the database write': [
      'change_pending',
      'change_feed',
      'change_entry',
      'change_sight',
      'change_reader',
    ],
    'reminders of a chase, which its statements count': ['ticket_chase_reminder'],
    'what was deleted when, which a trigger writes and lists of the past ask': ['deleted_record'],
    'files of archives, their storage, what was compared with them, and what is kept of the audit log beyond it, which statements write and ask':
      [...['archive_piece', 'archive_stray', 'archive_comparison', 'audit_kept', 'storage_mark']],
    'former ids, and what merges moved, which statements write and ask': ['merged_record', 'merge_move'],
    'which invoices are in which settlement, which statements over sets write': ['settlement_invoice'],
    'what a settlement said when it was approved, which is read as a whole': ['settlement_document'],
    'links of hashes, which are written and verified by statements': ['ticket_history'],
    'secrets, which belong to purposes': [
      'accounting_secret',
      'export_secret',
      'reporting_login_verifier',
      'accounting_setup',
      'one_time_secret',
      'photo_link',
      'sealing_key',
      'sso_attempt',
      'sso_domain',
      'sso_secret',
      'sso_ticket',
      'telematics_secret',
      'webhook_secret',
    ],
  },
  columns: {
    'the database computes it': [
      ...['*.match_name', '*.search_text', 'app_user.match_email', 'job_assignment.company_id'],
      ...['ticket.loose_job_id', 'ticket.loose_order_id', 'ticket.loose_company_id', 'location_history.asset_id'],
      'invoice_line_item.books',
    ],
    'statements of a worker read and write it': [
      ...['webhook_delivery.payload', 'webhook_delivery.change', 'webhook_delivery.trace_parent', 'import_batch.trace_parent'],
      ...['bulk_action_item.input', 'bulk_action_item.attempts', 'bulk_action_item.next_at', 'bulk_download.attempts'],
      ...['file_attachment.preview_attempts', 'file_attachment.preview_due_at', 'sandbox.emptied_at', 'sandbox.asset_ids'],
      'company_share.end_noted_at',
    ],
    'what the sender of a batch may do, which statements of the importer read': [
      ...[
        'import_batch.may_edit',
        'import_batch.site_ids',
        'import_batch.own_only',
        'import_batch.unseen_rates',
        'import_batch.lacking',
        'import_batch.strict',
      ],
    ],
    'a worker writes what positions say, and statements read it': [
      ...[
        'driver_day.gps_minutes',
        'driver_day.gps_distance_meters',
        'driver_day.gps_unmeasured_meters',
        'job.gps_total_pings',
        'job.gps_offline_pings',
      ],
      ...['job.gps_longest_gap_seconds', 'job.gps_interval_seconds', 'job.gps_distance_meters', 'app_user.positions_forgotten_at'],
    ],
    'statements of many jobs or loads read and write it': ['job.breaks', 'job.own_terms', 'job.rate_source', 'load.own_terms'],
  },
  nulls: {
    'other companies read null, and the table always has a value': [
      'company.billing_status',
      'company.saas_billing_plan',
      'company.usage_status',
    ],
    'a trigger gives a number to what has none': ['equipment.equipment_id'],
  },
  withoutKey: {
    "the order's key vouches for its company": ['job.company_id', 'load.company_id'],
    'a check per row would be a fifth of the cost of admission': ['import_batch.company_id', 'imported_record.company_id'],
    'checked through a column that holds it only where nothing nearer is checked': [
      'ticket.company_id',
      'ticket.job_id',
      'ticket.order_id',
    ],
  },
  withoutRelation: {
    'only the id is read of it': [
      ...[
        'bulk_action_item.bulk_action_id',
        'bulk_download.company_id',
        'company_share.company_id',
        'company_share.parent_company_share_id',
      ],
      ...['contact.site_id', 'credential.user_id', 'default_site.company_id', 'default_site.order_id', 'default_site.project_id'],
      ...[
        'device_token.company_id',
        'device_token.user_id',
        'device_token.session_id',
        'direct_upload.company_id',
        'driver_state_event.user_id',
        'driver_state_event.driver_day_id',
        'job.driver_day_id',
        'resource_usage_log.driver_day_id',
        'resource_usage_log.job_id',
        'resource_usage_log.load_id',
      ],
      ...['file_attachment.company_id', 'file_attachment.uploaded_by_company_id', 'impersonation.company_id', 'impersonation.user_id'],
      ...['invitation.inviter_company_id', 'moving_site.company_id', 'moving_site.site_id', 'moving_site.equipment_id'],
      ...['travelled_distance.company_id', 'geofence_trigger.company_id', 'geofence_trigger.site_id', 'geofence_trigger.load_id'],
      ...['routing_geofence.site_id', 'signature.company_id', 'signature.job_id', 'signature.driver_day_id'],
      ...['telematics_fleet.company_id', 'telematics_remote_vehicle.company_id', 'telematics_remote_vehicle.telematics_fleet_id'],
      ...['user_device_permission.company_id', 'user_device_permission.user_id', 'webhook_attempt.delivery_id'],
    ],
  },
  unnamed: {
    'a value drawn at random, or the hash of one': [
      'merged_record_remains_key',
      ...['company_logo_key', 'direct_upload_file_key', 'bulk_download_file_key', 'file_attachment_preview_key', 'ticket_image_key'],
      ...['ticket_preview_key', 'signature_image_key', 'user_session_family_key', 'one_time_secret_hash_key', 'signing_key_kid_key'],
      ...['machine_client_client_id_key', 'accounting_setup_link_hash_key', 'accounting_setup_public_hash_key'],
    ],
    'written by statements with "on conflict"': [
      ...['account_external_truck_identifier_key', 'credential_user_id_key', 'dispatch_number_name_key', 'file_attachment_fingerprint_key'],
      ...['location_history_asset_key', 'parked_file_key', 'position_task_key', 'geofence_trigger_key'],
      ...['travelled_distance_key', 'archive_piece_part_key'],
      ...['sms_integration_phone_key', 'telematics_remote_vehicle_key'],
      'export_run_due_key',
      ...['linked_customer_key', 'linked_vendor_key', 'linked_item_key', 'linked_ledger_account_key'],
    ],
    'who writes holds a lock, and looks first': [
      ...[
        'default_site_order_key',
        'default_site_project_key',
        'device_token_key',
        'moving_site_site_key',
        'scheduled_time_off_account_open_key',
      ],
      ...['scheduled_time_off_user_open_key', 'signature_key', 'user_device_permission_key'],
    ],
    'numbers and places that the product gives': [
      ...['bulk_action_item_place_key', 'job_assignment_link_key', 'job_number_key', 'load_ordinality_key', 'orders_number_key'],
      ...['outbox_event_position_key', 'project_number_key'],
    ],
    'a process that loses takes the turn of another company': ['export_run_at_work_key'],
    'built-in rows only': ['iam_role_key_key', 'service_type_key_key'],
  },
};

let orm: MikroORM;
let client: pg.Client;
beforeAll(async () => {
  const url = await migratedDatabase();
  // The initial value of a property is no default of its column.
  orm = await MikroORM.init({ ...ormSettings({ url, entities }), discovery: { inferDefaultValues: false } });
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await orm.close(true);
});

// A worker loads the product once for many files, and one of them names a rule of a table of its own (test/platform/sandbox.ts).
const named = () => namedConstraints().filter((name) => !name.startsWith('sand_'));
const drift = () => driftOf(client, orm.getMetadata(), named(), EXCEPTIONS);

test('entities and the migrated database are equal', async () => {
  expect(await drift()).toEqual([]);
});

test.each([
  ['a column dropped', 'alter table job drop column priority', ['job.priority: the column is missing']],
  ['a column that no entity knows', 'alter table job add column colour text', ['job.colour: no property has this column']],
  ['a type changed', 'alter table job alter column priority type bigint', ['job.priority: is bigint, declared as integer']],
  [
    'a precision changed',
    'alter table job alter column quantity type numeric(18,2)',
    ['job.quantity: is numeric(18,2), declared as numeric(18,4)'],
  ],
  [
    'an element type changed',
    'alter table job alter column foreman_ids drop default, alter column foreman_ids type text[]',
    ["job.foreman_ids: has the default none, declared as '{}'", 'job.foreman_ids: is text[], declared as uuid[]'],
  ],
  [
    'null allowed',
    'alter table job alter column job_start_at drop not null',
    ['job.job_start_at: takes null, and is declared as required'],
  ],
  ['null forbidden', 'alter table job alter column notes set not null', ['job.notes: takes no null, and is declared as nullable']],
  [
    'a default dropped',
    'alter table job alter column recurring_loads drop default',
    ['job.recurring_loads: has the default none, declared as false'],
  ],
  [
    'another default',
    "alter table company alter column auth_methods set default '{}'",
    ["company.auth_methods: has the default '{}', declared as '{password}'"],
  ],
  ['a foreign key missing', 'alter table job drop constraint job_order_id_foreign', ['job.order_id: has no foreign key to orders.id']],
  [
    'a foreign key to another table',
    `alter table job drop constraint job_phase_id_foreign;
    alter table job add constraint job_phase_id_foreign foreign key (phase_id) references site (id)`,
    ['job.phase_id: its foreign key leads to site.id, declared to phase.id'],
  ],
  [
    'a foreign key of no relation',
    'alter table job_event add foreign key (load_id) references load (id)',
    ['job_event.load_id: has a foreign key to load.id, and is declared as no relation'],
  ],
  [
    'a unique index missing',
    'drop index orders_external_id_key',
    ['orders_external_id_key: a unique rule or check that is named and missing'],
  ],
  [
    'a unique index that is unique no more',
    `drop index orders_external_id_key;
    create index orders_external_id_key on orders (company_id, external_id)`,
    ['orders_external_id_key: a unique rule or check that is named and missing'],
  ],
  [
    'a unique index that names no field',
    'create unique index job_colour_key on job (notes)',
    ['job_colour_key: a unique rule that defineUnique does not name'],
  ],
  [
    'a check missing',
    'alter table company drop constraint company_own_parent_check',
    ['company_own_parent_check: a unique rule or check that is named and missing'],
  ],
  ['a table missing', 'drop table project_material', ['project_material: the table of ProjectMaterial is missing']],
  ['a table without an entity', 'create table colour (id uuid primary key)', ['colour: no entity has this table']],
  [
    'an exception that nothing needs',
    'alter table bulk_download drop column attempts',
    ['an exception that nothing needs: columns bulk_download.attempts'],
  ],
])('%s is a difference', async (_, change, differences) => {
  await client.query('begin');
  try {
    // The start removes the views that hang on columns before it changes these.
    await client.query('drop schema reporting cascade');
    await client.query(change);
    expect(await drift()).toEqual(differences);
  } finally {
    await client.query('rollback');
  }
});

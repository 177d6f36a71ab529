import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { bumpOf, keyOf, placeOf } from '../../src/merging/merging-grants.ts';
import { EARLIER, REFERENCES, type Reference, TABLES } from '../../src/merging/references.ts';
import { migratedDatabase } from '../helpers/database.ts';

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: await migratedDatabase() });
  await client.connect();
});
afterAll(() => client.end());

const ALL = [...Object.values(REFERENCES).flat(), EARLIER];
const namesOf = (references: readonly Reference[]) => references.map(placeOf).sort();

/**
 * Columns of ids without a foreign key that are not touched by a merge, and why. A new column of ids is listed here, or with what merging does to it
 * in src/merging/references.ts.
 */
const UNTOUCHED: Record<string, string[]> = {
  'who did it then: the log of the past stays, and the id answers with who stayed': [
    ...[
      '*.created_by_id',
      '*.real_actor_id',
      '*.actor_id',
      '*.uploaded_by_id',
      'signature.signed_by_id',
      'approval_assignment.approver_id',
    ],
    ...['add_on_charge.requested_by_id', 'invoice_line_item.edited_by_id', 'settlement_export.exported_by_id', 'waiting_ticket.person_id'],
    ...['billing_period.closed_by_id', 'load_match.waived_by_id'],
  ],
  'what was noted of a record stays with its id': [
    ...[
      'audit_entry.subject_id',
      'audit_kept.subject_id',
      'outbox_event.subject_id',
      'transition.subject_id',
      'change_entry.subject_id',
      'change_pending.subject_id',
      'deleted_record.*',
      'sandbox.asset_ids',
    ],
    ...[
      'change_sight.subject_id',
      'change_sight.reader_id',
      'change_reader.reader_id',
      'change_pending.reader_id',
      'webhook_delivery.subject_id',
      'webhook_record.subject_id',
    ],
  ],
  'merges themselves': ['merge_move.former_id', 'merge_move.row_ids', 'merged_record.*', 'record_merge.kept_id', 'record_merge.former_ids'],
};

test('every foreign key to a record that can be merged is listed with what merging does to it', async () => {
  for (const [type, table] of Object.entries(TABLES)) {
    const { rows } = await client.query<{ place: string }>(
      `select k.conrelid::regclass || '.' || a.attname as place from pg_constraint k
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
       where k.contype = 'f' and k.confrelid = $1::regclass and k.conparentid = 0 order by 1`,
      [table],
    );
    const listed = namesOf(REFERENCES[type as keyof typeof REFERENCES]);
    expect({ type, missing: rows.map(({ place }) => place.replaceAll('"', '')).filter((place) => !listed.includes(place)) }).toEqual({
      type,
      missing: [],
    });
  }
});

test('every other column of ids is listed, too, or known to name no record that can be merged', async () => {
  const { rows } = await client.query<{ place: string; table: string }>(
    `select c.relname || '.' || a.attname as place, c.relname as table from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
       and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and a.attname <> 'id' and a.attgenerated = ''
       and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey))
     order by 1`,
  );
  const listed = new Set(namesOf(ALL));
  const known = [...Object.values(UNTOUCHED).flat(), ...OF_OTHERS];
  const fits = (place: string) =>
    known.some((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[a-z_]+')}$`).test(place));
  expect(rows.map(({ place }) => place).filter((place) => !listed.has(place) && !fits(place))).toEqual([]);
  // And none is known twice, or not there any more.
  const there = rows.map(({ place }) => place);
  expect(
    known.filter((name) => !there.some((place) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[a-z_]+')}$`).test(place))),
  ).toEqual([]);
});

/** Columns of ids of records that are never merged. */
const OF_OTHERS: string[] = [
  // Companies.
  ...['*.company_id', '*.*_company_id', 'outgoing_message.sandbox_id'],
  // Work: orders, jobs, loads, tickets, days, projects, routes and what is below them.
  ...['*.job_id', '*.order_id', '*.route_id', '*.driver_day_id', '*.project_id', '*.project_ids', '*.load_ids', 'job_event.load_id'],
  ...[
    'settlement_invoice.paid_jobs',
    'travelled_distance.traveller_id',
    'resource_usage_log.resource_usage_loggable_id',
    'ticket_history.ticket_id',
  ],
  ...['approval_assignment.approvable_id', 'approval_state.approvable_id', 'approval_assignment.review_id', 'signature.signable_id'],
  ...[
    'add_on_charge.add_on_applicable_id',
    'add_on_charge.assigned_id',
    'file_attachment.file_attachable_id',
    'geofence_trigger.job_event_id',
    'geofence_trigger.location_id',
  ],
  // Imports, files, events and money.
  ...['*.result_id', '*.record_id', '*.imported_record_id', 'imported_record.batch_id', 'imported_record.resubmitted_from'],
  ...[
    '*.file_id',
    '*.image_id',
    '*.preview_id',
    'company.logo_key',
    'webhook_delivery.event_id',
    'webhook_replay.after_id',
    'invoice_line_item.corrects_id',
    'load_match.billed_load_id',
  ],
  ...['auto_add_on_assignment.original_auto_add_on_assignment_id', 'auto_add_on_assignment.source_id', 'linked_item.itemizable_id'],
  // The lists of people and trucks: labels, roles, services; and columns that are no id of a record.
  ...[
    '*.label_ids',
    'app_user.custom_role_ids',
    'rate.service_ids',
    'driver_state_event.client_id',
    'driver_state_event.repeated_client_ids',
    'idempotency_key.token',
    'archive_piece.writer',
    'open_stream.process',
    // The id of a driver who was merged: the undo gives their shift back.
    'driver_day.merged_driver_id',
    // Likewise of a vendor, and their bill.
    'vendor_bill.merged_vendor_account_id',
  ],
];

test('what is listed is there, and says how its rows are known', async () => {
  const { rows } = await client.query<{ table: string; columns: string[]; key: string[] }>(
    `select c.relname as table, array_agg(a.attname::text) as columns,
       (select array_agg(b.attname::text) from pg_index i join pg_attribute b on b.attrelid = c.oid and b.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace group by c.oid, c.relname`,
  );
  const tables = new Map(rows.map((row) => [row.table, row]));
  for (const reference of ALL) {
    const { columns, key } = tables.get(reference.table)!;
    const used = [reference.column, ...(reference.taken?.columns ?? []), ...(reference.kind ? [reference.kind[0]] : [])];
    expect({ place: placeOf(reference), absent: used.filter((column) => !columns.includes(column.replaceAll('"', ''))) }).toEqual({
      place: placeOf(reference),
      absent: [],
    });
    if (reference.does === 'moves') expect([placeOf(reference), key.includes(keyOf(reference))]).toEqual([placeOf(reference), true]);
    // A row that is moved was changed, unless it says that it was not.
    const expected =
      reference.does === 'stays' || reference.quietly ? [] : ['version', 'updated_at'].filter((name) => columns.includes(name));
    expect([placeOf(reference), bumpOf(reference)]).toEqual([placeOf(reference), expected]);
  }
});

test('what a unique rule is about is asked before a row is moved', async () => {
  const { rows } = await client.query<{ place: string; index: string }>(
    `select c.relname || '.' || a.attname as place, i.indexrelid::regclass::text as index from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and (a.attnum = any(i.indkey) or pg_get_indexdef(i.indexrelid) ~ ('\\m' || a.attname || '\\M'))
     where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition and a.attnum > 0`,
  );
  const moving = ALL.filter(({ does, list }) => does === 'moves' && !list);
  const unasked = rows.filter(
    ({ place, index }) => moving.some((one) => placeOf(one) === place && !one.taken) && !INDIRECT.includes(index),
  );
  expect(unasked).toEqual([]);
});

test('a row in the way is found by columns that are never null, others are compared as what may be', async () => {
  const { rows } = await client.query<{ place: string; filled: boolean }>(
    `select c.relname || '.' || a.attname as place, a.attnotnull as filled from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0`,
  );
  const filled = new Map(rows.map((row) => [row.place, row.filled]));
  const wrong = ALL.flatMap(({ table, taken }) =>
    [...(taken?.by ?? '').matchAll(/o\.(\w+) (=|is not distinct from) r\.\1/g)]
      .filter(([, column, how]) => filled.get(`${table}.${column}`) !== (how === '='))
      .map(([text]) => `${table}: ${text}`),
  );
  // An invoice that names no job is never in the way of anything.
  expect(wrong).toEqual(['invoice: o.job_id = r.job_id']);
});

/** Unique rules whose column is only in a condition, or whose other columns differ for other rows of the same. */
const INDIRECT: string[] = ['merged_record_remains_key'];

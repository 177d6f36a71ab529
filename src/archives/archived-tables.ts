import { settingSql } from '../directory/companies/settings/setting-sql.ts';
import { type ArchiveSettings, DELIVERY_DAYS } from '../platform/storage/archive-settings.ts';

/** A table whose old rows go into files of the storage. */
export interface ArchivedTable {
  table: string;
  /** The column that says in which month a row is. */
  time: string;
  /** A query that is read in place of the table: its rows with those that hang on them, in further columns. */
  from?: string;
  /** A condition on the row `t`: others are still worked on, and stay. */
  finished?: string;
  /** Columns, with their types, in whose order rows are read. An index has them behind the company, or behind the group. */
  order: readonly (readonly [column: string, type: string])[];
  /** Where no index begins with the company: the column with which it begins, and SQL of its values in the company `$1`. */
  groups?: { column: string; of: string };
  /** No index has the time: rows are read in their order, which is nearly that of time, up to a page with none of the month. */
  nearlyByTime?: boolean;
  /** The length of a partition, for a table that has some. */
  partitions?: 'month' | 'year';
  /** The end of a statement, which keeps what else relies on of rows that leave, which are in `gone (id, at)`. */
  keep?: string;
  /** Triggers note changes of its rows. That a row is in a file now is no change of it. */
  watched?: boolean;
  /** Further tables whose rows are in a column of a line, by the column. */
  within?: Readonly<Record<string, string>>;
  /** SQL of the rule of each company: rows of before a time leave; null for none. */
  rules(settings: ArchiveSettings): string;
  /** SQL of the same columns, of its files: those of months that ended before a time are deleted; null for none. */
  ends(settings: ArchiveSettings): string;
}

/** Nobody audits what was tried: rows of a sandbox leave with it. */
const REAL = 'not is_sandbox(c.id)';

/** The setting of a company, else that of the operator; for ever if neither has one. */
const said = (setting: string, usual: number, unit: 'year' | 'day'): string =>
  `select c.id as "companyId", now() - nullif(coalesce(nullif(${settingSql('s', setting)}, 0), ${Number(usual)}), 0) * interval '1 ${unit}' as before, true as archives
   from company c left join company_settings s on s.company_id = c.id where ${REAL}`;
/** The operator's setting for all companies; for ever if it is 0. */
const forAll = (count: number, unit: 'year' | 'day'): string =>
  `select c.id as "companyId", now() - nullif(${Number(count)}, 0) * interval '1 ${unit}' as before, true as archives from company c where ${REAL}`;
/** The same for rows of which a file has those of all companies. */
const ofAll = (count: number, unit: 'year' | 'day'): string =>
  `select null::uuid as "companyId", now() - nullif(${Number(count)}, 0) * interval '1 ${unit}' as before, true as archives`;

export const ARCHIVED: readonly ArchivedTable[] = [
  {
    table: 'audit_entry',
    time: 'created_at',
    order: [
      ['created_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
    partitions: 'year',
    keep: `insert into audit_kept select t.id, t.company_id, t.subject_type, t.subject_id, t.event, t.object_changes, t.created_at
      from gone g join audit_entry t on t.id = g.id and t.created_at = g.at
      where is_kept_entry(t.event, t.subject_type, t.created_by_type, t.imported_record_id) on conflict do nothing`,
    rules: ({ auditYears }) => said('auditRetentionYears', auditYears, 'year'),
    ends: ({ deleteAfter }) => said('auditDeletedAfterYears', deleteAfter.auditYears, 'year'),
  },
  {
    table: 'webhook_delivery',
    time: 'created_at',
    from: `(select d.*, (select coalesce(json_agg(a order by a.created_at, a.id), '[]') from webhook_attempt a where a.delivery_id = d.id) as webhook_attempt
      from webhook_delivery d)`,
    order: [
      ['created_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
    within: { webhook_attempt: 'webhook_attempt' },
    rules: () => forAll(DELIVERY_DAYS, 'day'),
    ends: ({ deleteAfter }) => forAll(deleteAfter.deliveryYears, 'year'),
  },
  {
    table: 'outbox_event',
    time: 'created_at',
    // The one reader of events has read them.
    finished: 't.position <= (select c.position from notification_cursor c)',
    order: [['position', 'bigint']],
    nearlyByTime: true,
    rules: ({ eventDays }) => ofAll(eventDays, 'day'),
    ends: ({ deleteAfter }) => ofAll(deleteAfter.eventYears, 'year'),
  },
  {
    table: 'imported_record',
    time: 'import_received_at',
    finished: 'not exists (select from import_task k where k.id = t.id)',
    order: [
      ['import_received_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
    partitions: 'year',
    watched: true,
    rules: ({ importYears }) => said('importRetentionYears', importYears, 'year'),
    ends: ({ deleteAfter }) => said('importsDeletedAfterYears', deleteAfter.importYears, 'year'),
  },
  {
    table: 'import_batch',
    time: 'received_at',
    // After its records.
    finished: 'not exists (select from imported_record r where r.batch_id = t.id)',
    order: [
      ['received_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
    watched: true,
    rules: ({ importYears }) => said('importRetentionYears', importYears, 'year'),
    ends: ({ deleteAfter }) => said('importsDeletedAfterYears', deleteAfter.importYears, 'year'),
  },
  {
    table: 'location_history',
    time: 'occurred_at',
    order: [
      ['occurred_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
    groups: {
      column: 'asset_id',
      of: 'select u.id from app_user u where u.company_id = $1 union all select e.id from equipment e where e.company_id = $1 union all select $1::uuid',
    },
    partitions: 'month',
    rules: () =>
      `select c.id as "companyId", now() - ${settingSql('s', 'positionRetentionDays')} * interval '1 day' as before, ${settingSql('s', 'archivePositions')} and ${REAL} as archives
       from company c left join company_settings s on s.company_id = c.id`,
    // Also of who archives none any more.
    ends: ({ deleteAfter }) => said('positionsDeletedAfterDays', deleteAfter.positionDays, 'day'),
  },
];

/** A row as a line of a file, which is the same in every session. */
export const LINE = 'archive_line(t)';
/** The hash of a line, of which PostgreSQL and the files have the same sums. */
export const HASH = `hashtextextended(${LINE}, 0)`;

import { resolve } from 'node:path';
import type pg from 'pg';
import { PARTITIONED } from '../../archives/partitions.ts';
import { hasMark } from '../../archives/storage-mark.ts';
import type { Config } from '../config.ts';
import { storageOf } from '../configured.ts';
import { type Finding, good, look, those, wrong } from './finding.ts';

/** Hours after which a file should have been written, or taken over from a process that died. */
const PATIENCE = 12;

/** Examines the partitions that workers make ahead of time, and what companies expect of archives. Before the first start there is nothing. */
export async function examineArchives(config: Config, pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const { rows: known } = await pool.query<{ there: boolean }>(`select to_regclass('archive_piece') is not null as there`);
  if (!known[0]!.there) return [];
  const tables = Object.entries(PARTITIONED);
  const { rows } = await pool.query<{ missing: string[] }>(
    `select coalesce(array_agg(p.name order by p.name), '{}') as missing from (
       select t.name || '_' || to_char((now() + n * interval '1 month') at time zone 'UTC', t.format) as name
       from unnest($1::text[], $2::text[]) t (name, format), generate_series(0, 1) n group by 1) p where to_regclass(p.name) is null`,
    [tables.map(([name]) => name), tables.map(([, length]) => (length === 'month' ? 'YYYY_MM' : 'YYYY'))],
  );
  const { missing } = rows[0]!;
  const overflow: string[] = [];
  for (const [table] of tables) {
    const name = `${table}_default`;
    const { rows: there } = await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [name]);
    if (there[0]!.there && (await pool.query(`select from ${name} limit 1`)).rowCount) overflow.push(name);
  }
  // A database of before the migration that adds them has none.
  const setting = (name: string) => `coalesce((to_jsonb(s) ->> '${name}')::int, 0)`;
  const { rows: pieces } = await pool.query<{ stuck: number; wanted: number; positions: number; unended: number }>(
    `select (select count(*)::int from archive_piece where state = 'writing' and lease_until < now() - ${PATIENCE} * interval '1 hour') as stuck,
       (select count(*)::int from company_settings s where audit_retention_years > 0 or import_retention_years > 0
         or ${setting('audit_deleted_after_years')} + ${setting('imports_deleted_after_years')} + ${setting('positions_deleted_after_days')} > 0) as wanted,
       (select count(*)::int from company_settings where archive_positions) as positions,
       (select count(*)::int from company_settings s where archive_positions and ${setting('positions_deleted_after_days')} = 0) as unended`,
  );
  const { stuck, wanted, positions, unended } = pieces[0]!;
  return those(
    missing.length > 0
      ? wrong(
          'partitions',
          `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: workers make the next ones every hour, so none runs, or the log says why it fails.`,
        )
      : good('partitions', 'Those of the present and of the next month are there.'),
    overflow.length > 0 &&
      wrong(
        'partitions',
        `${overflow.join(', ')} ${overflow.length === 1 ? 'has' : 'have'} rows, which came when their partition was missing or by a wrong clock: it cannot be made while they are there. Move them.`,
      ),
    stuck > 0 &&
      wrong('archives', `${stuck} files are not whole yet, although nobody writes them: no worker runs, or the log says why it fails.`),
    wanted > 0 &&
      config.HAULGATE_ARCHIVES === 'off' &&
      look(
        'HAULGATE_ARCHIVES',
        `is off, and ${wanted} ${wanted === 1 ? 'company says' : 'companies say'} for how long records stay at hand or in archives: they stay where they are until it is on.`,
      ),
    positions > 0 &&
      config.HAULGATE_ARCHIVES === 'off' &&
      look(
        'HAULGATE_ARCHIVES',
        `is off, and ${positions} ${positions === 1 ? 'company wants' : 'companies want'} positions archived: theirs stay beyond their days until it is on, or they switch archivePositions off.`,
      ),
    unended > 0 &&
      config.HAULGATE_ARCHIVES === 'on' &&
      config.HAULGATE_ARCHIVE_DELETE_POSITION_DAYS === 0 &&
      look(
        'HAULGATE_ARCHIVE_DELETE_POSITION_DAYS',
        `is 0, and ${unended} ${unended === 1 ? 'company archives' : 'companies archive'} positions without an end (positionsDeletedAfterDays): where people were stays in files for ever.`,
      ),
  );
}

/** Reads the mark of the storage, which says whose files it has. Before the first start there is none. */
export async function examineMark(config: Config, pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const { rows } = await pool.query<{ there: boolean }>(`select to_regclass('storage_mark') is not null as there`);
  if (!rows[0]!.there) return [];
  const about = config.HAULGATE_FILES === 's3' ? 'HAULGATE_S3_BUCKET' : 'HAULGATE_FILES';
  const ask = async <R extends object>(sql: string, values?: unknown[]) => (await pool.query<R>(sql, values)).rows;
  let has: boolean | undefined;
  try {
    has = await hasMark(ask, await storageOf(config, resolve(config.HAULGATE_DATA)));
  } catch {
    // That it cannot be read is said where a file is tried.
    return [];
  }
  return those(
    has === true && good(about, 'It is the storage that the processes of this database use.'),
    has === false &&
      wrong(
        about,
        'It is another storage than that of the processes of this database: neither finds the files of the other, and nothing is archived. Share one folder or bucket, or say "npm run archive -- adopt" if the files were moved.',
      ),
  );
}

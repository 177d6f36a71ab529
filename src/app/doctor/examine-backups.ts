import type pg from 'pg';
import type { Config } from '../config.ts';
import { type Finding, good, look, those, wrong } from './finding.ts';

/** Bytes of the log that a slot nobody reads may keep before it is said. */
const MUCH_LOG = 1024 ** 3;

interface Backups {
  mode: string;
  /** Seconds after which a file of the log is archived although it is not full; 0 for never. */
  timeout: number;
  /** Seconds since the last file was archived, and since one could not be. */
  archived: number | null;
  failed: number | null;
  failed_name: string | null;
  senders: number;
  slots: { name: string; bytes: number; lost: boolean }[];
}

const ASK = `select current_setting('archive_mode') as mode, (select setting::int from pg_settings where name = 'archive_timeout') as timeout,
    extract(epoch from now() - a.last_archived_time)::int as archived, extract(epoch from now() - a.last_failed_time)::int as failed,
    a.last_failed_wal as failed_name,
    (select count(*)::int from pg_stat_replication) as senders,
    (select coalesce(json_agg(json_build_object('name', slot_name, 'lost', coalesce(wal_status = 'lost', false),
        'bytes', coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)) order by slot_name), '[]')
      from pg_replication_slots where not active) as slots
  from pg_stat_archiver a`;

/**
 * Examines what PostgreSQL itself knows of backups: whether its log is archived, and who keeps it from being removed. Of base backups it keeps no record, so
 * that only a restore shows that there is one.
 */
export async function examineBackups(config: Config, pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  // The embedded one is for trying things out.
  if (!config.DATABASE_URL) return [];
  const { mode, timeout, archived, failed, failed_name, senders, slots } = (await pool.query<Backups>(ASK)).rows[0]!;
  const fails = failed !== null && (archived === null || failed < archived);
  const left = slots.filter(({ bytes, lost }) => lost || bytes > MUCH_LOG);
  const about = 'backup';
  return those(
    mode === 'off' &&
      look(
        about,
        `archive_mode is off${senders > 0 ? '' : ', and nobody receives the log'}: the database can be restored to the moments of its base backups alone. Set archive_mode and archive_command (docs/operations.md, "Backup and restore"), unless your provider or a program that receives the log does it.`,
      ),
    mode !== 'off' &&
      fails &&
      wrong(
        about,
        `archive_command fails: ${failed_name} could not be archived ${failed} s ago, and nothing after it is. What comes now is in no backup, and the log fills the disk. PostgreSQL's own log says why.`,
      ),
    mode !== 'off' &&
      !fails &&
      archived === null &&
      wrong(about, 'archive_mode is on, and no file of the log was ever archived: set archive_command, and look whether the file arrives.'),
    mode !== 'off' &&
      !fails &&
      archived !== null &&
      (timeout > 0 && archived > 2 * timeout + 60
        ? look(
            about,
            `The last file of the log was archived ${archived} s ago, although archive_timeout is ${timeout} s: nothing was written since, or the archiver hangs.`,
          )
        : good(
            about,
            `The log is archived; the last file ${archived} s ago. Only a restore shows that it can be used: npm run drill -- restore.`,
          )),
    mode !== 'off' &&
      timeout === 0 &&
      look(
        about,
        'archive_timeout is 0: a file of the log is archived when it is full, which may take hours, and what is in it until then is lost with the disk. Set it to 60 s.',
      ),
    ...left.map(({ name, bytes, lost }) =>
      lost
        ? wrong('replication slots', `${name} has lost its place: whoever used it must begin anew with a copy. Make it anew, or drop it.`)
        : wrong(
            'replication slots',
            `${name} keeps ${(bytes / 1024 ** 3).toFixed(1)} GB of the log, and nobody reads it: the disk fills. Start who uses it, or drop it.`,
          ),
    ),
  );
}

import pg from 'pg';
import { endQuietly } from '../../platform/database/connection/end.ts';
import { APP_ROLE } from '../../platform/database/roles.ts';
import type { Config } from '../config.ts';
import { countProcesses } from '../supervise.ts';
import { connectionsOf } from './examine-pooler.ts';
import { type Finding, good, look, reasonOf, those, wrong } from './finding.ts';

/** Milliseconds within which a replica must be reached, and answer. */
const PATIENCE = 5_000;
/** Connections of a process to a replica that are not of its pool: one asks how far it is. */
const ASKING = 1;

interface Said {
  standby: boolean;
  cluster: string;
  replayed: string | null;
  /** As of `Sample`. */
  followed: number | null;
  restartsIn: number;
  receives: boolean;
  since: string;
  settings: Record<string, string>;
}

const ASK = `select pg_is_in_recovery() as standby, (select system_identifier::text from pg_control_system()) as cluster,
  pg_last_wal_replay_lsn()::text as replayed, wal_followed() as followed, (select timeline_id from pg_control_checkpoint()) as "restartsIn",
  exists (select from pg_stat_wal_receiver where pid is not null) as receives, pg_postmaster_start_time()::text as since,
  (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings`;
const SETTINGS = ['hot_standby_feedback', 'max_standby_streaming_delay', 'max_connections', 'superuser_reserved_connections'];

/** Examines the replicas that are to answer reads. @param primary a connection to the primary */
export async function examineReplicas(config: Config, primary: pg.Pool): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const url of config.DATABASE_READ_URLS) found.push(...(await examineReplica(config, primary, url)));
  return found;
}

async function examineReplica(config: Config, primary: pg.Pool, url: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  client.on('error', () => {});
  // The examination does not show the password of the URL.
  const name = `${client.host}:${client.port}`;
  const about = 'DATABASE_READ_URLS';
  try {
    await client.connect();
    const said = (await client.query<Said>(ASK, [SETTINGS])).rows[0]!;
    const { rows } = await primary.query<{ cluster: string; history: number; since: string; behind: string | null }>(
      `select (select system_identifier::text from pg_control_system()) as cluster, pg_postmaster_start_time()::text as since,
        ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as history,
        pg_size_pretty(greatest(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), $1::pg_lsn), 0)) as behind`,
      [said.replayed],
    );
    const { cluster, history, since, behind } = rows[0]!;
    if (!said.standby && said.cluster === cluster && said.since === since && config.DATABASE_READ_URLS.length > 1)
      return [good(about, `names ${name}, which is the primary now, and answers no reads until it is a replica.`)];
    if (!said.standby)
      return [wrong(about, `names ${name}, which takes writes and follows nobody: name replicas of the primary; it is not read from.`)];
    if (said.cluster !== cluster)
      return [
        wrong(
          about,
          `names ${name}, which is a replica of another server than DATABASE_URL: it is not read from. Name one of that server.`,
        ),
      ];
    if (said.followed === null ? said.restartsIn > history : said.followed !== history)
      return [
        wrong(
          about,
          `names ${name}, which follows another history than that of DATABASE_URL (timeline ${said.followed ?? said.restartsIn} instead of ${history}), such as a server that was promoted: it is not read from. Point its primary_conninfo at the primary, or make it anew from there.`,
        ),
      ];
    const mayAct = await client.query(`set role ${APP_ROLE}`).then(
      () => true,
      () => false,
    );
    const { settings } = said;
    const keeps = settings.hot_standby_feedback === 'on' || settings.max_standby_streaming_delay === '-1';
    const wanted = countProcesses(config) * (config.DATABASE_POOL + ASKING);
    const takes = connectionsOf(settings);
    return those(
      !mayAct &&
        wrong(
          about,
          `names ${name} with a login that may not take the role ${APP_ROLE}: use the login of DATABASE_URL; it is not read from.`,
        ),
      !keeps &&
        look(
          about,
          `names ${name}, which ends long reads in favour of what it has to replay, so that exports and snapshots are read from the primary: set hot_standby_feedback = on there.`,
        ),
      said.receives &&
        said.followed === null &&
        look(
          about,
          `names ${name}, of which Haulgate learns only minutes later that it follows a server which was promoted elsewhere: grant pg_read_all_stats to the owner of the tables.`,
        ),
      wanted > takes &&
        wrong(about, `names ${name}, which takes ${takes} connections, and Haulgate has up to ${wanted}: raise max_connections there.`),
      mayAct && good(about, `names ${name}, a replica of the primary, which is ${behind} behind.`),
    );
  } catch (error) {
    return [wrong(about, `names ${name}, which cannot be used, so that the primary is read instead: ${reasonOf(error)}.`)];
  } finally {
    await endQuietly(client);
  }
}

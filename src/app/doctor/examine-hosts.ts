import pg from 'pg';
import { endQuietly } from '../../platform/database/connection/end.ts';
import { urlsOf } from '../../platform/database/connection/hosts.ts';
import { type Finding, good, look, reasonOf, those, wrong } from './finding.ts';

/** Milliseconds within which a server must be reached, and answer. */
const PATIENCE = 5_000;

interface Said {
  standby: boolean;
  cluster: string;
  /** The setting `synchronous_standby_names` of PostgreSQL, and how many of those it names follow it now. */
  waits_for: string;
  in_step: number;
  /** Followers of which this login may not know how far they are. */
  hidden: number;
}

const ASK = `select pg_is_in_recovery() as standby, (select system_identifier::text from pg_control_system()) as cluster,
  current_setting('synchronous_standby_names') as waits_for,
  (select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum')) as in_step,
  (select count(*)::int from pg_stat_replication where sync_state is null) as hidden`;

/** Examines each server that DATABASE_URL names, if there are several: one is written to, and another one takes its place when it dies. */
export async function examineHosts(url: string | undefined): Promise<Finding[]> {
  const urls = url ? urlsOf(url) : [];
  if (urls.length < 2) return [];
  const about = 'DATABASE_URL';
  const found = await Promise.all(urls.map(ask));
  const answers = found.flatMap(({ name, said }) => (said ? [{ name, ...said }] : []));
  const primaries = answers.filter(({ standby }) => !standby);
  const [primary] = primaries;
  return [
    ...found.flatMap(({ name, reason }) =>
      reason ? [wrong(about, `names ${name}, which cannot be used, so that it takes over for nobody: ${reason}.`)] : [],
    ),
    ...those(
      primaries.length > 1 &&
        wrong(
          about,
          `names ${primaries.map(({ name }) => name).join(' and ')}, which all take writes: the first of them is used. Stop the others before anybody writes there.`,
        ),
      answers.length > 0 && !primary && wrong(about, 'names no server that takes writes: promote one.'),
      primary &&
        primary.waits_for === '' &&
        look(
          about,
          `names several servers, and ${primary.name} waits for none of them: what was acknowledged in its last moments is lost with it. Set synchronous_standby_names.`,
        ),
      primary &&
        primary.waits_for !== '' &&
        primary.in_step === 0 &&
        primary.hidden > 0 &&
        look(
          about,
          `names ${primary.name}, which waits for a standby. Somebody follows it, and this login may not see whether that is the one: look into pg_stat_replication as its owner.`,
        ),
      primary &&
        primary.waits_for !== '' &&
        primary.in_step + primary.hidden === 0 &&
        wrong(
          about,
          `names ${primary.name}, which waits for a standby and has none: writes do not end. Start one that synchronous_standby_names names.`,
        ),
    ),
    ...answers
      .filter(({ standby }) => standby && primary)
      .map(({ name, cluster }) =>
        cluster === primary!.cluster
          ? good(about, `names ${name}, a standby of ${primary!.name}.`)
          : wrong(
              about,
              `names ${name}, a standby of another server than ${primary!.name}: it would answer with other data. Remove it, or make it anew from there.`,
            ),
      ),
  ];
}

async function ask(url: string): Promise<{ name: string; said?: Said; reason?: string }> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  client.on('error', () => {});
  // The examination does not show the password of the URL.
  const name = `${client.host}:${client.port}`;
  try {
    await client.connect();
    return { name, said: (await client.query<Said>(ASK)).rows[0]! };
  } catch (error) {
    return { name, reason: reasonOf(error) };
  } finally {
    await endQuietly(client);
  }
}

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { backUp } from './backup.ts';

/** Settings of a primary whose standbys may be away for a while. */
export const OF_PRIMARY = { wal_keep_size: '512MB' };

/** A standby that can be killed, and started again on its port. */
export interface Standby {
  readonly server: EmbeddedPostgres;
  startAgain(): Promise<void>;
}

/**
 * Copies a running primary and starts the copy as its standby, which streams the log and answers reads.
 * @param folders of the primary and of the standby
 */
export async function startStandby(
  primary: EmbeddedPostgres,
  folders: { primary: string; standby: string },
  name: string,
  settings: Record<string, string> = {},
): Promise<Standby> {
  const cluster = join(folders.standby, 'postgres');
  await backUp(primary.url, join(folders.primary, 'postgres'), cluster);
  writeFileSync(join(cluster, 'standby.signal'), '');
  const { username, password } = new URL(primary.url);
  const follow = `host=127.0.0.1 port=${primary.port} user=${username} password=${password} application_name=${name}`;
  // Where it can be changed while it runs, as `pg_basebackup --write-recovery-conf` does.
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${follow}'\n`);
  const start = (more: Record<string, string>) => startEmbeddedPostgres({ dataDir: folders.standby, settings: { ...settings, ...more } });
  let server = await start({});
  const port = String(server.port);
  return {
    get server() {
      return server;
    },
    async startAgain() {
      server = await start({ port });
    },
  };
}

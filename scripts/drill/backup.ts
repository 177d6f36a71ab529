import { chmodSync, chownSync, cpSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Copies a running server, between the two calls that make a copy usable (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
export async function backUp(url: string, cluster: string, backup: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('drill', true)");
    cpSync(cluster, backup, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !/\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pgsql_tmp.*)$/.test(path),
    });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)');
    writeFileSync(join(backup, 'backup_label'), rows[0]!.labelfile);
    cpSync(join(cluster, '..', 'postgres.password'), join(backup, '..', 'postgres.password'));
    own(cluster, backup);
  } finally {
    await client.end();
  }
}

/** Gives a copy to the user who owns the original: PostgreSQL does not run as root. */
export function own(original: string, copy: string): void {
  const { uid, gid } = statSync(original);
  for (const name of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) chownSync(join(copy, name), uid, gid);
  chmodSync(copy, 0o700);
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../src/app/config.ts';
import { examineBackups } from '../../src/app/doctor/examine-backups.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { dataFolder, removeFolder } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';

const folder = dataFolder();
let server: EmbeddedPostgres;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startEmbeddedPostgres({
    dataDir: folder,
    volatile: true,
    settings: { archive_mode: 'on', max_slot_wal_keep_size: '1MB', max_wal_size: '32MB', wal_level: 'replica' },
  });
  pool = new pg.Pool({ connectionString: server.url, max: 1 });
  // Its end does not wait for the connection to close, which the end of the server then meets.
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool?.end();
  await server?.stop();
  removeFolder(folder);
});

const said = async (): Promise<string[]> =>
  (await examineBackups(readConfig({ DATABASE_URL: server.url }), pool)).map(({ verdict, about, says }) => `${verdict} ${about}: ${says}`);
async function set(name: string, value: string): Promise<void> {
  await pool.query(`alter system set ${name} = '${value}'`);
  await pool.query('select pg_reload_conf()');
}
/** Has the present file of the log archived. */
const turn = () => pool.query(`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`);

/** Drops the slot. A checkpoint that takes its place from it ends whoever holds it, which is then asked again. */
async function isSlotGone(): Promise<boolean> {
  try {
    await pool.query(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'left_behind'`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '57P01') throw error;
    return false;
  }
}

test('the doctor says whether the log is archived, and which slot keeps it', async () => {
  expect(await said()).toContain(
    'wrong backup: archive_mode is on, and no file of the log was ever archived: set archive_command, and look whether the file arrives.',
  );
  await set('archive_command', 'false');
  await turn();
  await until(async () => (await said()).some((one) => /^wrong backup: archive_command fails: \w{24} could not be archived/.test(one)));
  await set('archive_command', 'true');
  await until(async () => (await said()).some((one) => /^good backup: The log is archived; the last file \d+ s ago/.test(one)));
  expect(await said()).toContainEqual(expect.stringMatching(/^look backup: archive_timeout is 0/));
  await set('archive_timeout', '60s');
  await until(async () => !(await said()).join().includes('archive_timeout is 0'));

  await pool.query(`select pg_create_physical_replication_slot('left_behind', true)`);
  for (let file = 0; file < 4; file++) await turn();
  await pool.query('checkpoint');
  await until(async () => (await said()).some((one) => one.startsWith('wrong replication slots: left_behind has lost its place')));
  await until(isSlotGone);
  expect((await said()).join()).not.toContain('replication slots');
});

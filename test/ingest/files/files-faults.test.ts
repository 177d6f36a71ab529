import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepFiles } from '../../../src/files/sweep-files.ts';
import { type FileStorage, localStorage } from '../../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';
import { png } from './sample-files.ts';
import { postFile } from './upload.ts';

let folder: string;
let app: TestApp;
let tenant: Tenant;
/** Which of the next uploads fail in the storage, and how; by their number. */
let faults: (n: number) => 'before' | 'half' | 'after' | undefined = () => undefined;
let stored = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haulgate-faults-'));
  const real = localStorage(folder);
  const faulty: FileStorage = {
    ...real,
    async keep(key, path, file) {
      const fault = faults(stored++);
      if (fault === 'before') throw new Error('the storage is away');
      if (fault === 'half') {
        writeFileSync(join(folder, key), (await readFile(path)).subarray(0, 20));
        throw new Error('the storage went away meanwhile');
      }
      await real.keep(key, path, file);
      if (fault === 'after') throw new Error('the storage took it and could not say so');
    },
  };
  app = await startTestApp({ storage: faulty });
  tenant = await makeTenant(app);
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const sql = <R>(text: string) => app.orm.em.getConnection().execute<R[]>(text);

test('whatever fails between the bytes and the row, no row lacks its bytes and no bytes lack a row', async () => {
  faults = (n) => (n % 3 === 0 ? (['before', 'half', 'after'] as const)[(n / 3) % 3] : undefined);
  let killed = 0;
  const kills = setInterval(() => {
    // Connections that are in the middle of something, as when a PostgreSQL stops.
    void sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`).then(
      (rows) => (killed += rows.length),
      // It may have been ended by another of these.
      () => undefined,
    );
  }, 60);
  const statuses = new Map<number, number>();
  const taken: string[] = [];
  // On a fast machine fewer connections are in the middle of something when their turn comes, and on a busy one nearly all are.
  for (let round = 0; round < 40 || ((killed <= 5 || taken.length <= 10) && round < 400); round++) {
    const [one, two] = await Promise.all([
      postFile(app, { external_id: `Q-${round}`, file: png({ note: Buffer.from(`n\0${round}`) }) }, tenant.token),
      postFile(app, { external_id: `Q-${round}`, file: png({ note: Buffer.from(`m\0${round}`) }) }, tenant.token),
      round % 2
        ? tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { external_id: `Q-${round}` })).catch(() => undefined)
        : undefined,
    ]);
    for (const answer of [one, two]) {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 300) taken.push(answer.body.data.id);
    }
  }
  clearInterval(kills);
  faults = () => undefined;
  const rows = await sql<{ id: string; byte_size: number }>(
    'select id, byte_size from file_attachment union all select id, byte_size from parked_file',
  );
  for (const row of rows) expect((await readFile(join(folder, row.id))).length).toBe(row.byte_size);
  // A promised file is there.
  const ids = rows.map((row) => row.id);
  expect(taken.filter((id) => !ids.includes(id))).toEqual([]);
  await sweepFiles(app.orm.em, -60_000);
  expect((await readdir(folder)).sort()).toEqual(ids.sort());
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
  // Both must have come to pass, or nothing was tried.
  expect(taken.length).toBeGreaterThan(10);
  expect(statuses.get(503)).toBeGreaterThan(20);
  expect(killed).toBeGreaterThan(5);
  expect([...statuses.keys()].filter((status) => ![201, 202, 503].includes(status))).toEqual([]);
});

test('lost bytes are an internal error, before the answer begins', async () => {
  await makeOrder(tenant, { external_id: 'G-1' });
  const { data } = (await postFile(app, { external_id: 'G-1', file: png() }, tenant.token)).body;
  rmSync(join(folder, data.id));
  const answer = await tenant.http('GET', `/v1/file_attachments/${data.id}/file`);
  expect([answer.status, answer.headers.get('retry-after'), answer.body]).toEqual([503, '5', { error: { code: 'service_unavailable' } }]);
});

import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { sweepFiles } from '../../../src/files/sweep-files.ts';
import { archiveNames } from '../../../src/proof/downloads/archive-names.ts';
import { removeExpired } from '../../../src/proof/downloads/download-worker.ts';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { unsigned } from '../../helpers/unsigned.ts';
import { processorTime } from '../../helpers/until.ts';
import { jpeg, pdf, png } from '../../ingest/files/sample-files.ts';
import { readZip } from './read-zip.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

async function jobOf(more: object = {}): Promise<{ id: string; job_id: string }> {
  const order = await makeOrder(tenant, more);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  return (await tenant.must('GET', `/v1/orders/${order.id}/jobs`))[0];
}

async function attach(path: string, bytes: Buffer, name: string, category = 'Other'): Promise<string> {
  const parts: Parameters<typeof sendForm>[3] = [
    ['file', bytes, name],
    ['category', category],
  ];
  const answer = await sendForm(app, 'POST', `/v1/${path}/file_attachments`, parts, tenant.token);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body.data.id;
}

const ask = (body: object, token = tenant.token) => tenant.http('POST', '/v1/bulk_downloads', { type: 'zip', ...body }, token);
const state = (id: string, token = tenant.token) => tenant.must('GET', `/v1/bulk_downloads/${id}`, undefined, token);
const fetched = (url: string, token = tenant.token) => fetch(url, { headers: { Authorization: `Bearer ${token}` } });

/** Asks, waits until it is packed, and unpacks it. @returns content by name */
async function packed(body: object, token = tenant.token): Promise<Record<string, Buffer>> {
  const asked = await ask(body, token);
  expect([asked.status, asked.body.error]).toEqual([202, undefined]);
  expect(asked.headers.get('location')).toBe(`/v1/bulk_downloads/${asked.body.data.id}`);
  await app.settled();
  const ready = await state(asked.body.data.id, token);
  expect(ready).toMatchObject({ state: 'success', objects: [{ name: expect.stringMatching(/^files-\d{4}-\d\d-\d\d\.zip$/) }] });
  const response = await fetched(ready.objects[0].url, token);
  const headers = ['content-type', 'x-content-type-options'].map((name) => response.headers.get(name));
  expect([response.status, ...headers]).toEqual([200, 'application/zip', 'nosniff']);
  const found = readZip(Buffer.from(await response.arrayBuffer()));
  expect(Object.keys(found)).toHaveLength(ready.file_count);
  return found;
}

test('the files of jobs, of their loads and the pictures of their tickets are in one archive, with a folder for each job', async () => {
  const [first, second, other] = [await jobOf(), await jobOf(), await jobOf()];
  const load = await tenant.must('POST', `/v1/jobs/${first.id}/loads`, {});
  await attach(`jobs/${first.id}`, png(), 'map.png', 'Site Map');
  await attach(`loads/${load.id}`, pdf(), 'slip.pdf', 'Scale Ticket (External)');
  await attach(`jobs/${second.id}`, png(), 'map.png', 'Site Map');
  await attach(`jobs/${second.id}`, png(), 'MAP.png');
  await attach(`jobs/${other.id}`, png(), 'other.png');
  const ticket = await tenant.must('POST', '/v1/tickets', { job_id: second.id, ticket_number: 'A/7', unit_of_measure: 'Ton' });
  await sendForm(app, 'POST', `/v1/tickets/${ticket.id}/image`, [['image', jpeg(), 'x.jpg']], tenant.token);
  const all = await packed({ job_ids: [first.id, second.id.toUpperCase(), first.id] });
  const [a, b] = [first.job_id, second.job_id];
  expect(Object.keys(all).sort()).toEqual(
    [`${a}/map.png`, `${a}/slip.pdf`, `${b}/map.png`, `${b}/MAP (2).png`, `${b}/ticket A-7.jpg`].sort(),
  );
  expect([all[`${a}/slip.pdf`]!.equals(pdf()), all[`${b}/ticket A-7.jpg`]!.equals(jpeg())]).toEqual([true, true]);
  const names = async (body: object) => Object.keys(await packed(body)).sort();
  const both = { job_ids: [first.id, second.id] };
  expect(await names({ ...both, filter: { categories: ['Site Map'] } })).toEqual([`${a}/map.png`, `${b}/map.png`].sort());
  expect(await names({ ...both, filter: { categories: ['Scale Ticket (External)'] } })).toEqual(
    [`${a}/slip.pdf`, `${b}/ticket A-7.jpg`].sort(),
  );
});

test('a filter selects the jobs, and narrows named ones', async () => {
  const { user } = await tenant.person({ roles: ['driver'] });
  const [mine, canceled] = [await jobOf(), await jobOf()];
  for (const { id } of [mine, canceled]) {
    await tenant.must('PATCH', `/v1/jobs/${id}`, { driver_id: user.id });
    await attach(`jobs/${id}`, png(), 'a.png');
  }
  await tenant.must('PUT', `/v1/jobs/${canceled.id}/cancel`);
  const folders = async (body: object) => Object.keys(await packed(body)).map((name) => name.split('/')[0]);
  expect(await folders({ filter: { job: { driver_ids: [user.id], states: ['canceled'] } } })).toEqual([canceled.job_id]);
  expect(await folders({ filter: { job: { driver_ids: [user.id] } }, job_ids: [mine.id] })).toEqual([mine.job_id]);
  const none = await ask({ filter: { job: { driver_ids: [user.id], start_date: '2001-01-01', end_date: '2001-01-02' } } });
  expect(none.body.data).toMatchObject({ state: 'success', file_count: 0, objects: [] });
});

test('invalid requests are refused, with the place of the error', async () => {
  const job = await jobOf();
  const stranger = await makeTenant(app);
  const refused = async (body: object, token?: string) => {
    const answer = await ask(body, token);
    return [answer.status, fieldsOf(answer)];
  };
  expect(await refused({})).toEqual([422, ['job_ids']]);
  expect(await refused({ job_ids: [] })).toEqual([422, ['job_ids']]);
  expect(await refused({ job_ids: [job.id, tenant.pickup.id, tenant.driver.id] })).toEqual([422, ['job_ids.1', 'job_ids.2']]);
  expect(await refused({ job_ids: [job.id, 'x'] })).toEqual([422, ['job_ids.1']]);
  expect(await refused({ job_ids: [job.id] }, stranger.token)).toEqual([422, ['job_ids.0']]);
  expect(await refused({ job_ids: [job.id], type: 'tar' })).toEqual([422, ['type']]);
  expect(await refused({ job_ids: [job.id], filter: { categories: ['Novel'] } })).toEqual([422, ['filter.categories']]);
  expect(await refused({ filter: { job: { driver_ids: ['x'] } } })).toEqual([422, ['filter.job.driver_ids.0']]);
  expect(await refused({ job_ids: Array.from({ length: 2_001 }, () => job.id) })).toEqual([422, ['job_ids']]);
});

test('an archive is for the person who requested it, and contains what they may read', async () => {
  const driver = await tenant.person({ roles: ['driver'] });
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  const [own, foreign] = [await jobOf(), await jobOf()];
  await tenant.must('PATCH', `/v1/jobs/${own.id}`, { driver_id: driver.user.id });
  for (const { id } of [own, foreign]) await attach(`jobs/${id}`, png(), 'a.png');
  expect(Object.keys(await packed({ job_ids: [own.id] }, driver.token))).toEqual([`${own.job_id}/a.png`]);
  expect(fieldsOf(await ask({ job_ids: [foreign.id] }, driver.token))).toEqual(['job_ids.0']);
  const asked = (await ask({ job_ids: [own.id, foreign.id] })).body.data;
  await app.settled();
  const { objects } = await state(asked.id);
  expect(await state(asked.id, dispatcher.token)).toMatchObject({ state: 'success', objects: [] });
  expect((await tenant.http('GET', `/v1/bulk_downloads/${asked.id}`, undefined, driver.token)).status).toBe(404);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/v1/bulk_downloads/${asked.id}`)).status).toBe(404);
  const statuses = [dispatcher.token, driver.token, stranger.token, 'nobody'].map(
    async (token) => (await fetched(objects[0].url, token)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 401]);
  expect((await fetched(objects[0].url)).status).toBe(200);
});

test('a company that hauls a job gets its files', async () => {
  const vendor = await makeTenant(app);
  const account = await tenant.save(Account, {
    ...{ company: ref(tenant.company), name: 'Hired Hauling', accountTypes: ['vendor'], connectedCompany: ref(vendor.company) },
  });
  const job = await jobOf();
  await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: account.id });
  await attach(`jobs/${job.id}`, png(), 'map.png');
  expect(Object.keys(await packed({ job_ids: [job.id] }, vendor.token))).toEqual([`${job.job_id}/map.png`]);
});

test('a file that is deleted meanwhile is left out; one that the storage does not return is tried three times in all', async () => {
  const job = await jobOf();
  const [gone, away] = [await attach(`jobs/${job.id}`, png(), 'gone.png'), await attach(`jobs/${job.id}`, pdf(), 'away.pdf')];
  await rename(join(app.folder, 'files', away), join(app.folder, away));
  const { id } = (await ask({ job_ids: [job.id] })).body.data;
  const due = () => app.orm.em.execute('update bulk_download set due_at = now() where id = ? and due_at is not null', [id]);
  for (let tries = 1; tries < 3; tries++) {
    await app.settled();
    expect(await state(id)).toMatchObject({ state: 'pending', objects: [] });
    await due();
  }
  await app.settled();
  expect(await state(id)).toMatchObject({ state: 'error', objects: [] });
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
  await rename(join(app.folder, away), join(app.folder, 'files', away));
  const second = (await ask({ job_ids: [job.id] })).body.data;
  expect(second.file_count).toBe(2);
  await app.orm.em.execute('delete from file_attachment where id = ?', [gone]);
  await app.orm.em.execute("update bulk_download set due_at = now(), attempts = 0, state = 'pending' where id = ?", [second.id]);
  await app.settled();
  const ready = await state(second.id);
  expect(Object.keys(readZip(Buffer.from(await (await fetched(ready.objects[0].url)).arrayBuffer())))).toEqual([`${job.job_id}/away.pdf`]);
});

test('an archive is removed when its day is over, and not before', async () => {
  const job = await jobOf();
  await attach(`jobs/${job.id}`, png(), 'a.png');
  const { id } = (await ask({ job_ids: [job.id] })).body.data;
  await app.settled();
  const { objects, expires_at, created_at } = await state(id);
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThan(86_000_000);
  const [{ file_id: key } = { file_id: '' }] = await app.orm.em.execute<{ file_id: string }[]>(
    'select file_id from bulk_download where id = ?',
    [id],
  );
  const stored = () => readdir(join(app.folder, 'files'));
  await sweepFiles(app.productOrm.em, -60_000);
  await removeExpired(app.productOrm.em);
  expect(await stored()).toContain(key);
  await app.orm.em.execute("update bulk_download set expires_at = now() - interval '1 second' where id = ?", [id]);
  expect((await fetched(objects[0].url)).status).toBe(404);
  await removeExpired(app.productOrm.em);
  expect(await stored()).not.toContain(key);
  expect((await tenant.http('GET', `/v1/bulk_downloads/${id}`)).status).toBe(404);
});

test('GraphQL requests and returns the same', async () => {
  const job = await jobOf();
  await attach(`jobs/${job.id}`, png(), 'a.png');
  const asked = await tenant.gql(
    'mutation ($input: CreateBulkDownloadInput!) { createBulkDownload(input: $input) { id state fileCount } }',
    {
      input: { type: 'zip', jobIds: [job.id] },
    },
  );
  const { id, fileCount } = asked.data.createBulkDownload;
  expect(fileCount).toBe(1);
  await app.settled();
  const read = await tenant.gql('query ($id: ID!) { bulkDownload(id: $id) { state objects { url name } } }', { id });
  expect(unsigned(read.data.bulkDownload)).toEqual({ state: 'success', objects: unsigned((await state(id)).objects) });
});

test('an archive full of files of one name distinguishes them at once', async () => {
  const files = [
    ...Array.from({ length: 2_500 }, (_, n) => ({ folder: '1-1', fileName: `é (${n + 2}).png` })),
    ...Array.from({ length: 2_500 }, () => ({ folder: '1-1', fileName: 'é.png' })),
  ];
  expect(await processorTime(() => archiveNames(files))).toBeLessThan(2_000);
  const names = archiveNames(files);
  expect([new Set(names).size, names.at(-1)]).toEqual([5_000, '1-1/é (5000).png']);
});

test('names in an archive stay inside its folder, fit all systems and are distinct, whatever the files are called', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '../../etc/passwd',
      '/etc/passwd',
      'C:\\boot.ini',
      'CON.png',
      'nul',
      '..',
      '.',
      '',
      'a\u202Egpj.exe',
      'A.png',
      'a.png',
      '.a',
    ),
  );
  const file = fc.record({ folder: fc.constantFrom('1-1', '1-2', '../x'), fileName: name });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 30 }), (files) => {
      const names = archiveNames(files);
      expect(new Set(names.map((one) => one.toLowerCase())).size).toBe(files.length);
      for (const one of names) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
        expect(one).toMatch(/^[\w-]+\/(?!\.)(?!(con|nul)\.)[^\x00-\x1f/\\:*?"<>|\u202e]+$/i);
        expect(one.length).toBeLessThan(200);
      }
    }),
  );
});

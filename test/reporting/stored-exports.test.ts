import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { guardedFetch } from '../../src/platform/http/calls/guarded-fetch.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { address, bucket, partsOf, type Received, schedule } from './scheduled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true, webhooks: true });
});
afterAll(() => app.close());

const create = (at: Tenant, body: object): Promise<Json> => at.must('POST', at.path('/export_schedules'), body);
const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute<Json[]>(text, values);
const run = async (id: string): Promise<Json> => {
  await sql(`update export_schedule set due_at = now() - interval '1 minute' where id = ?`, [id]);
  await app.settled();
  return (
    await sql('select state, error, byte_size, archived_before from export_run where export_schedule_id = ? order by due_at desc limit 1', [
      id,
    ])
  )[0];
};
const mailsTo = async (to: string): Promise<Received[]> => (await app.emails()).mails.filter((mail) => mail.to === to).map(partsOf);

/** Has imports of March be archived. */
const haveArchived = (at: Tenant) =>
  sql(
    `insert into archive_piece (company_id, table_name, period, part, state, key, writer, row_count, bytes, sha256, checksum, removed_at)
     values (?, 'imported_record', '2026-03-01', 1, 'removed', 'archives/a', gen_random_uuid(), 1, 1, '00', 0, now())`,
    [at.company.id],
  );

/** Notes of an order that make a file of more than 15 MB. */
async function manyWords(at: Tenant): Promise<void> {
  const { id } = await makeOrder(at);
  await sql(
    `insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'number', o.number + n, 'order_id', 'L-' || n,
       'notes', repeat('gravel ', 15000)))).* from orders o, generate_series(1, 160) n where o.id = ?`,
    [id],
  );
}

test('what is too large for a mail is stored, and the mail says where; without a storage, nothing is sent', async () => {
  const at = await makeTenant(app);
  await manyWords(at);
  const { kept, storage, close } = await bucket();
  const [to, other] = [address(), address()];
  const stored = await create(at, schedule({ storage, recipients: [to] }));
  expect(await run(stored.id)).toMatchObject({ state: 'success', error: null });
  expect(kept.map(({ body }) => Buffer.byteLength(body) > 15_000_000)).toEqual([true]);
  const [mail, ...more] = await mailsTo(to);
  expect([mail!.subject, mail!.file, more]).toEqual([expect.stringMatching(/^Orders of the week 20\d\d-\d\d-\d\d$/), undefined, []]);
  expect(mail!.text.replace(/\s+/g, ' ')).toMatch(
    /It has \d\d MB, which is more than is mailed \(15 MB\)\. It lies in the bucket haulage as sheets\/orders-20\d\d-\d\d-\d\d\.csv\./,
  );
  await close();
  const mailed = await create(at, schedule({ recipients: [other] }));
  expect(await run(mailed.id)).toMatchObject({ state: 'error', error: expect.stringContaining('larger than it may be (15 MB)') });
  expect((await mailsTo(other)).map(({ subject }) => subject)).toEqual(['Orders of the week: nothing was sent']);
}, 60_000);

test('administrators learn of what could not be stored, if nobody gets it by mail', async () => {
  const at = await makeTenant(app);
  const email = address();
  await at.person({ roles: ['company_admin'], email });
  const refusing = await bucket(403);
  const { id } = await create(at, schedule({ storage: refusing.storage, recipients: null }));
  expect(await run(id)).toMatchObject({ state: 'error', error: expect.stringContaining('the storage answers 403') });
  expect((await mailsTo(email)).map(({ subject, text }) => [subject, text.includes('the storage answers 403')])).toEqual([
    ['Orders of the week: nothing was sent', true],
  ]);
  await refusing.close();
});

test('a scheduled export says since when its list is complete, by mail and in its run', async () => {
  const at = await makeTenant(app);
  await haveArchived(at);
  const [to, other] = [address(), address()];
  const failures = 'measures[]=import_failures&group_by[]=day';
  const one = await create(at, schedule({ list: 'metrics', query: failures, recipients: [to] }));
  expect(new Date((await run(one.id)).archived_before).toISOString()).toBe('2026-04-01T00:00:00.000Z');
  expect((await mailsTo(to))[0]!.text.replace(/\s+/g, ' ')).toContain('The list is complete since 2026-04-01. What is older is archived');
  const [listed] = await at.must('GET', `/v1/export_schedules/${one.id}/runs`);
  expect(new Date(listed.archived_before).toISOString()).toBe('2026-04-01T00:00:00.000Z');
  const two = await create(at, schedule({ recipients: [other] }));
  expect((await run(two.id)).archived_before).toBeNull();
  expect((await mailsTo(other))[0]!.text).not.toContain('archived');
});

test('the page of a report and its sheet say what of their days is archived', async () => {
  const at = await makeTenant(app);
  await haveArchived(at);
  const reports: Json[] = await at.must('GET', '/v1/reports?page[limit]=100');
  const { id } = reports.find(({ name }) => name === 'Failed imports');
  const link = new URL((await at.must('GET', `/v1/reports/${id}`)).dashboard_url);
  const opened = (from: string, what = '') =>
    app.http('GET', `/v1/report_pages/${id}${what}?signature=${link.searchParams.get('signature')}&from=${from}&to=2026-05-31`);
  const archived = { before: '2026-04-01T00:00:00Z', in: `archives/${at.company.id}/imported_record/` };
  const sheets = [await opened('2026-03-15', '/csv'), await opened('2026-05-02', '/csv')];
  expect([(await opened('2026-03-15')).body.data.archived, (await opened('2026-05-02')).body.data.archived]).toEqual([archived, null]);
  expect(sheets.map(({ headers }) => [headers.get('x-archived-before'), headers.get('x-archived-in')])).toEqual([
    [archived.before, archived.in],
    [null, null],
  ]);
});

/** A server to which a stream is put. */
async function server(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  waits?: (req: IncomingMessage, res: ServerResponse) => void,
) {
  const made: Server = createServer(answer);
  if (waits) made.on('checkContinue', waits);
  await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(made.address() as AddressInfo).port}/`,
    close: () => new Promise<void>((closed) => made.close(() => closed()).closeAllConnections()),
  };
}

const MEGABYTE = Buffer.alloc(1_000_000, 'x');
/** A stream of megabytes, and how many were read of it. */
function megabytes(count: number) {
  const read = { count: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (read.count++ === count) controller.close();
        else controller.enqueue(MEGABYTE);
      },
    },
    { highWaterMark: 0 },
  );
  return { read, put: { method: 'PUT', body, headers: { 'Content-Length': String(count * MEGABYTE.length) } } };
}

test('a stream is sent as it is read, with its length, as fast as the server takes it', async () => {
  const { read, put } = megabytes(40);
  let [got, ahead, length] = [0, 0, ''];
  const slow = await server(async (req, res) => {
    length = req.headers['content-length']!;
    for await (const part of req) {
      got += part.length;
      if (got > 2_000_000 && ahead === 0) {
        // Whoever does not take it does not have it read.
        await sleep(300);
        ahead = read.count;
      }
    }
    res.writeHead(200).end();
  });
  const { status } = await guardedFetch({ allowPrivate: true })(slow.url, put);
  expect([status, got, length]).toEqual([200, 40_000_000, '40000000']);
  expect(ahead).toBeLessThan(25);
  await slow.close();
});

test('a server that refuses a stream by its head gets none of it, and one that says nothing gets it', async () => {
  const refused = megabytes(5);
  const refusing = await server(
    () => undefined,
    (_req, res) => res.writeHead(403).end('no'),
  );
  const answer = await guardedFetch({ allowPrivate: true })(refusing.url, refused.put);
  expect([answer.status, await answer.text(), refused.read.count]).toEqual([403, 'no', 0]);
  await refusing.close();
  const sent = megabytes(5);
  let got = 0;
  const old = await server(
    () => undefined,
    async (req, res) => {
      for await (const part of req) got += part.length;
      res.writeHead(200).end();
    },
  );
  expect((await guardedFetch({ allowPrivate: true })(old.url, sent.put)).status).toBe(200);
  expect(got).toBe(5_000_000);
  await old.close();
  const { put } = megabytes(1);
  await expect(guardedFetch({ allowPrivate: true })(old.url, { ...put, headers: {} })).rejects.toThrow('Content-Length');
});

test('a stream that breaks, and a server that ends the call in its middle, fail the call', async () => {
  const cutting = await server((req) => void req.once('data', () => req.socket.destroy()));
  await expect(guardedFetch({ allowPrivate: true })(cutting.url, megabytes(20).put)).rejects.toThrow();
  await cutting.close();
  const taking = await server((req, res) => void req.resume().on('end', () => res.writeHead(200).end()));
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the disk is gone')) });
  const put = { method: 'PUT', body, headers: { 'Content-Length': '10' } };
  await expect(guardedFetch({ allowPrivate: true })(taking.url, put)).rejects.toThrow('the disk is gone');
  await taking.close();
});

import { readdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { newId } from '../../src/platform/ids.ts';
import { storage } from '../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeYard, type Yard } from '../helpers/yard.ts';
import { gif, jpeg, pdf, png, REFUSED, webp, zip } from './sample-files.ts';
import { postFile, type Upload } from './upload.ts';

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  yard = await makeYard(app);
});
afterAll(() => app.close());

const post = (upload: Upload, token = yard.token) => postFile(app, upload, token);
const ofOrder = (order: { id: string }) => yard.must('GET', yard.path(`/orders/${order.id}/file_attachments`));
const bytesOf = async (file: { file_url: string }, token = yard.token) =>
  fetch(file.file_url, { headers: { Authorization: `Bearer ${token}` } });
const incoming = () => readdir(join(app.folder, 'incoming'));
const kept = async () => {
  const keys: string[] = [];
  for await (const key of storage().keys()) keys.push(key);
  return keys;
};
const send = (elements: object[]) => yard.must('POST', '/ingest/orders', { orders: elements });
const element = (externalId: string) => ({
  external_id: externalId,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C', name: 'C' },
});

test('a file for an order that is there is attached and given back as it came', async () => {
  const order = await makeOrder(yard, { external_id: 'A-1' });
  const answer = await post({ external_id: 'A-1', file: jpeg(), name: 'gate.jpg', category: 'Site Map', description: 'Gate 4' });
  expect(answer.status).toBe(201);
  const file = answer.body.data;
  expect(file).toMatchObject({
    category: 'Site Map',
    description: 'Gate 4',
    file_attachable_id: order.id,
    file_attachable_type: 'Order',
    file_name: 'gate.jpg',
    mime_type: 'image/jpeg',
    preview_url: null,
    uploaded_by: { type: 'M2MClient', legal_name: yard.company.legalName },
  });
  expect(await yard.must('GET', `/v1/file_attachments/${file.id}`)).toEqual(file);
  expect(await ofOrder(order)).toEqual([file]);
  const bytes = await bytesOf(file);
  expect(Buffer.from(await bytes.arrayBuffer()).equals(jpeg())).toBe(true);
  expect(Object.fromEntries(bytes.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(jpeg().length),
    'content-disposition': `attachment; filename="gate.jpg"; filename*=UTF-8''gate.jpg`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(await incoming()).toEqual([]);
});

test('a file that comes first waits for its order, however the order comes', async () => {
  for (const [externalId, make] of [
    ['W-1', async () => void (await makeOrder(yard, { external_id: 'W-1' }))],
    ['W-2', async () => void (await send([element('W-2')]))],
    [
      'W-3',
      async () => {
        const order = await makeOrder(yard);
        await yard.must('PATCH', yard.path(`/orders/${order.id}`), { external_id: 'W-3' });
      },
    ],
  ] as const) {
    const answer = await post({ external_id: externalId, file: pdf(), name: 'ticket.pdf' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ data: { id: expect.any(String), external_id: externalId, state: 'created' } });
    expect((await yard.http('GET', `/v1/file_attachments/${answer.body.data.id}`)).status).toBe(404);
    await make();
    await app.settled();
    const file = await yard.must('GET', `/v1/file_attachments/${answer.body.data.id}`);
    const order = await yard.must('GET', yard.path(`/orders/${file.file_attachable_id}`));
    expect(order).toMatchObject({ external_id: externalId, order_summary: { file_attachments_count: 1 } });
    expect(Buffer.from(await (await bytesOf(file)).arrayBuffer()).equals(pdf())).toBe(true);
  }
});

test('an external id is compared to the letter, and a waiting file is of its company only', async () => {
  await makeOrder(yard, { external_id: 'Case-1' });
  expect((await post({ external_id: 'case-1', file: gif() })).status).toBe(202);
  const other = await makeYard(app);
  expect((await post({ external_id: 'Case-1', file: gif() }, other.token)).status).toBe(202);
  expect((await post({ external_id: ' Case-1 ', file: gif() })).status).toBe(201);
});

test('a file and its order that arrive at once find each other', async () => {
  let attached = 0;
  for (let round = 0; round < 36; round++) {
    const externalId = `R-${round}`;
    const make = [
      () => makeOrder(yard, { external_id: externalId }),
      () => send([element(externalId), element(`${externalId}-b`)]),
      async () => {
        const order = await makeOrder(yard);
        await yard.must('PATCH', yard.path(`/orders/${order.id}`), { external_id: externalId });
      },
    ][round % 3]!;
    // The order up to 40 ms before or after the files.
    const lead = (round % 9) * 10 - 40;
    const [one, two] = await Promise.all([
      pause(lead).then(() => post({ external_id: externalId, file: png() })),
      pause(lead).then(() => post({ external_id: externalId, file: jpeg() })),
      pause(-lead).then(make),
    ]);
    await app.settled();
    attached += [one, two].filter((answer) => answer!.status === 201).length;
    for (const answer of [one!, two!]) {
      const file = await yard.http('GET', `/v1/file_attachments/${answer.body.data.id}`);
      expect([externalId, answer.status, file.status]).toEqual([externalId, answer.status, 200]);
    }
  }
  // Otherwise the rounds have proved nothing about one of the two ways.
  expect(attached).toBeGreaterThan(0);
  expect(attached).toBeLessThan(72);
});

test('the same upload sent again is the same attachment', async () => {
  const order = await makeOrder(yard, { external_id: 'D-1' });
  const before = (await kept()).length;
  const upload = { external_id: 'D-1', file: gif(), name: 'a.gif', category: 'Other' };
  const first = await post(upload);
  expect((await post(upload)).body).toEqual(first.body);
  expect((await post({ ...upload, category: 'Timesheet' })).body.data.id).not.toBe(first.body.data.id);
  expect(await ofOrder(order)).toHaveLength(2);
  const parked = await post({ ...upload, external_id: 'D-2' });
  expect((await post({ ...upload, external_id: 'D-2' })).body).toEqual(parked.body);
  expect((await kept()).length - before).toBe(3);
});

test('every allowed type is taken by its content, whatever it is called', async () => {
  await makeOrder(yard, { external_id: 'T-1' });
  const names: string[] = [];
  for (const [file, type] of [
    [jpeg(), 'image/jpeg'],
    [png(), 'image/png'],
    [webp(), 'image/webp'],
    [gif(), 'image/gif'],
    [pdf(), 'application/pdf'],
    // A picture with a script in its notes, or with what telephones put behind it, is a picture.
    [jpeg({ exif: '<?php system($_GET["c"]); ?>' }), 'image/jpeg'],
    [Buffer.concat([jpeg(), zip()]), 'image/jpeg'],
    [png({ note: Buffer.from('Comment\0<script>alert(1)</script>') }), 'image/png'],
  ] as const) {
    const answer = await post({ external_id: 'T-1', file, name: 'page.html', type: 'text/html' });
    expect([answer.status, answer.body.data?.mime_type]).toEqual([201, type]);
    names.push(answer.body.data.file_name);
    expect((await bytesOf(answer.body.data)).headers.get('content-type')).toBe(type);
  }
  expect(names.slice(0, 5)).toEqual(['page.html.jpg', 'page.html.png', 'page.html.webp', 'page.html.gif', 'page.html.pdf']);
});

test('what is not truly of an allowed type is refused, and nothing of it stays', async () => {
  await makeOrder(yard, { external_id: 'H-1' });
  const before = await kept();
  const told: [string, number, string][] = [];
  const message = { unknown: 'is not a JPEG, PNG, WebP, GIF or PDF', damaged: 'is damaged or incomplete', empty: 'is empty' };
  for (const [what, file] of REFUSED) {
    const answer = await post({ external_id: 'H-1', file, name: 'scan.jpg', type: 'image/jpeg' });
    told.push([
      what,
      answer.status,
      answer.body.error?.errors?.map((e: { field: string; message: string }) => `${e.field} ${e.message}`).join(),
    ]);
  }
  expect(told).toEqual(REFUSED.map(([what, , why]) => [what, 422, `file ${message[why]}`]));
  expect(await kept()).toEqual(before);
  expect(await incoming()).toEqual([]);
});

test('names lose what could harm', async () => {
  const order = await makeOrder(yard, { external_id: 'N-1' });
  const names: [string, string][] = [
    ['../../etc/passwd', 'passwd.png'],
    ['C:\\temp\\scan.png', 'scan.png'],
    ['Übersicht Köln 東京.PNG', 'Übersicht Köln 東京.PNG'],
    ['in\u202Egnp.exe', 'ingnp.exe.png'],
    ['a\u0001b\u200F.png', 'ab.png'],
    ['.png', 'png.png'],
    ['', 'file.png'],
    ['<b>x|y?*.png', 'bxy.png'],
    [`${'x'.repeat(400)}.png`, `${'x'.repeat(112)}.png`],
  ];
  for (const [i, [given, wanted]] of names.entries()) {
    const answer = await post({ external_id: 'N-1', file: png({ note: Buffer.from(`n\0${i}`) }), name: given });
    expect([given, answer.status, answer.body.data?.file_name]).toEqual([given, 201, wanted]);
  }
  const file = (await ofOrder(order)).find((one: { file_name: string }) => one.file_name.startsWith('Ü'));
  expect((await bytesOf(file)).headers.get('content-disposition')).toBe(
    `attachment; filename="_bersicht K_ln __.PNG"; filename*=UTF-8''%C3%9Cbersicht%20K%C3%B6ln%20%E6%9D%B1%E4%BA%AC.PNG`,
  );
});

test('every problem of a form is named at once', async () => {
  const bad = await post({
    external_id: ' ',
    file: 'https://example.com/a.jpg',
    file_attachable_type: 'Job',
    category: 'Photo',
    note: 'x',
  });
  expect(bad.status).toBe(422);
  expect(fieldsOf(bad)).toEqual(['category', 'external_id', 'file', 'file_attachable_type', 'note']);
  expect(bad.body.error.errors.find((e: { field: string }) => e.field === 'file').message).toBe(
    'must be an uploaded file, not a text or a URL',
  );
  expect(fieldsOf(await post({ external_id: undefined, file: undefined, file_attachable_type: undefined }))).toEqual([
    'external_id',
    'file',
    'file_attachable_type',
  ]);
  expect(fieldsOf(await post({ external_id: 'x\0y', file: png() }))).toEqual(['external_id']);
  expect(fieldsOf(await post({ external_id: 'x'.repeat(256), file: png(), description: 'y'.repeat(10_001) }))).toEqual([
    'description',
    'external_id',
  ]);
  expect(fieldsOf(await post({ external_id: 'x', file: png(), twice: true }))).toEqual(['file']);
  expect(await incoming()).toEqual([]);
});

test('the file may come before the fields', async () => {
  await makeOrder(yard, { external_id: 'F-1' });
  expect((await post({ external_id: 'F-1', file: png(), fileFirst: true })).status).toBe(201);
});

test('10 MB are taken and a byte more is not, without reading on', async () => {
  await makeOrder(yard, { external_id: 'L-1' });
  const before = await kept();
  const limit = 10 * 1024 * 1024;
  const picture = jpeg({ pad: limit - 100_000 });
  const full = Buffer.concat([picture, Buffer.alloc(limit - picture.length)]);
  const over = await post({ external_id: 'L-1', file: Buffer.concat([full, Buffer.alloc(1)]) });
  expect([over.status, over.body.error.errors]).toEqual([
    422,
    [{ model: 'FileAttachment', field: 'file', message: 'is larger than 10 MB' }],
  ]);
  expect((await post({ external_id: 'L-1', file: Buffer.concat([full, full, full, full]) })).status).toBe(422);
  expect([await kept(), await incoming()]).toEqual([before, []]);
  const exact = await post({ external_id: 'L-1', file: full });
  expect(exact.status).toBe(201);
  expect((await (await bytesOf(exact.body.data)).arrayBuffer()).byteLength).toBe(limit);
});

test('what is no form is 415, a broken one 400, and nobody is asked for bytes before the token', async () => {
  const raw = (body: string | Buffer, type: string | undefined, token = yard.token) =>
    app.http('POST', '/ingest/files', { token, body: new Uint8Array(Buffer.from(body)), headers: type ? { 'Content-Type': type } : {} });
  expect((await raw('{}', 'application/json')).status).toBe(415);
  expect((await raw('file=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await raw('x', undefined)).status).toBe(415);
  expect((await raw('x', 'multipart/form-data')).status).toBe(400);
  expect((await raw('no parts at all', 'multipart/form-data; boundary=b')).status).toBe(400);
  const open = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhalf a pict';
  expect((await raw(open, 'multipart/form-data; boundary=b')).status).toBe(400);
  const many = `${'--b\r\nContent-Disposition: form-data; name="description"\r\n\r\nx\r\n'.repeat(50)}--b--\r\n`;
  expect((await raw(many, 'multipart/form-data; boundary=b')).status).toBe(400);
  expect(await incoming()).toEqual([]);
  expect((await post({ external_id: 'x', file: png() }, '')).status).toBe(401);
  expect((await post({ external_id: 'x', file: png() }, 'no.such.token')).status).toBe(401);
  const weak = await makeYard(app, { permissions: ['create_order'] });
  expect((await post({ external_id: 'x', file: png() }, weak.token)).status).toBe(403);
  // The answer comes although the body never does.
  expect(await firstAnswer({ 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '5000000' })).toBe(401);
});

/** Status of a request whose body is announced and not sent. */
const firstAnswer = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const req = request(`${app.url}/ingest/files`, { method: 'POST', headers }, (res) => {
      resolve(res.statusCode!);
      req.destroy();
    });
    req.on('error', reject);
    req.flushHeaders();
  });

test('a request that is cut off leaves no bytes and no row', async () => {
  const before = await kept();
  const req = request(`${app.url}/ingest/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '900000', Authorization: `Bearer ${yard.token}` },
  });
  req.on('error', () => undefined);
  req.write('--b\r\nContent-Disposition: form-data; name="external_id"\r\n\r\nCUT-1\r\n');
  req.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n');
  req.write(jpeg({ pad: 300_000 }));
  await until(async () => (await incoming()).length === 1);
  req.destroy();
  await until(async () => (await incoming()).length === 0);
  expect(await kept()).toEqual(before);
  const order = await makeOrder(yard, { external_id: 'CUT-1' });
  expect(await ofOrder(order)).toEqual([]);
});

test('ten slow uploads of 10 MB are on the disk as they come, not in memory', async () => {
  await makeOrder(yard, { external_id: 'S-1' });
  const before = alive();
  const picture = jpeg({ pad: 60_000 });
  // SOI and the first segment, the comment of 60,000 bytes that is sent again and again, and the rest of the picture.
  const [head, comment, rest] = [picture.subarray(0, 20), picture.subarray(20, 60_024), picture.subarray(60_024)];
  const uploads = Array.from({ length: 10 }, (_, i) => slowUpload(`S-1`, `${i}.jpg`));
  await Promise.all(
    uploads.map(async (upload) => {
      await upload.write(head);
      for (let i = 0; i < 160; i++) await upload.write(comment);
    }),
  );
  const sizes = async () => Promise.all((await incoming()).map(async (name) => (await stat(join(app.folder, 'incoming', name))).size));
  await until(async () => (await sizes()).filter((size) => size > 9_000_000).length === 10);
  // Some chunks of each are under way; held in memory they would be 96 MB for good. Buffers are freed a while after a collection.
  await until(async () => alive() - before < 20_000_000);
  expect(await Promise.all(uploads.map((upload) => upload.end(rest)))).toEqual(Array(10).fill(201));
});

/** Bytes in buffers that somebody still holds. */
function alive(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

/** An upload whose bytes are sent as the test gives them. */
function slowUpload(externalId: string, name: string) {
  const req = request(`${app.url}/ingest/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b', Authorization: `Bearer ${yard.token}` },
  });
  const status = new Promise<number>((resolve, reject) => {
    req.on('response', (res) => resolve(res.resume().statusCode!)).on('error', reject);
  });
  const field = (key: string, value: string) => req.write(`--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`);
  field('external_id', externalId);
  field('file_attachable_type', 'Order');
  req.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
  return {
    write: (bytes: Buffer) => new Promise<void>((resolve) => (req.write(bytes) ? resolve() : req.once('drain', resolve))),
    end(bytes: Buffer) {
      req.write(bytes);
      req.end('\r\n--b--\r\n');
      return status;
    },
  };
}

test('nobody else gets a file', async () => {
  await makeOrder(yard, { external_id: 'P-1' });
  const { data } = (await post({ external_id: 'P-1', file: png() })).body;
  const stranger = await makeYard(app);
  expect((await bytesOf(data, stranger.token)).status).toBe(404);
  expect((await bytesOf(data, 'no.such.token')).status).toBe(401);
  expect((await fetch(data.file_url)).status).toBe(401);
  expect((await yard.http('GET', '/v1/file_attachments/nonsense/file')).status).toBe(404);
  expect((await yard.http('GET', `/v1/file_attachments/${newId()}/file`)).status).toBe(404);
});

test("a parent reads its child's files, and not the other way round", async () => {
  const parent = await makeYard(app);
  const child = await makeYard(app, { company: { parentCompany: parent.company } });
  const files: { file_url: string }[] = [];
  for (const one of [parent, child]) {
    await makeOrder(one, { external_id: 'P-2' });
    files.push((await post({ external_id: 'P-2', file: png() }, one.token)).body.data);
  }
  expect((await bytesOf(files[1]!, parent.token)).status).toBe(200);
  expect((await bytesOf(files[0]!, child.token)).status).toBe(404);
});

test('bytes without a row go after an hour, bytes with one stay', async () => {
  await makeOrder(yard, { external_id: 'O-1' });
  const { data } = (await post({ external_id: 'O-1', file: webp(), name: 'o.webp' })).body;
  const parked = (await post({ external_id: 'O-2', file: webp() })).body.data;
  const orphan = newId();
  await writeFile(join(app.folder, 'files', orphan), 'left by a crash');
  await writeFile(join(app.folder, 'incoming', newId()), 'half');
  await sweepFiles(app.orm.em);
  expect([(await kept()).includes(orphan), (await incoming()).length]).toEqual([true, 1]);
  expect(await sweepFiles(app.orm.em, -60_000)).toBe(2);
  const keys = await kept();
  expect([data.id, parked.id, orphan].map((key) => keys.includes(key))).toEqual([true, true, false]);
  expect(await incoming()).toEqual([]);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

async function until(met: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await met()); ) {
    if (Date.now() > end) throw new Error('it did not come to pass within 20 seconds');
    await pause(10);
  }
}

test('a company that never sends the orders of its files is told to wait, and keeps what it has', async () => {
  const full = await makeYard(app);
  const first = await post({ external_id: 'never', file: gif() }, full.token);
  expect(first.status).toBe(202);
  const pool = await poolOf(app.orm.em.fork());
  const { rows } = await pool.query(
    "select string_agg(attname, ', ' order by attnum) as names from pg_attribute where attrelid = 'parked_file'::regclass and attnum > 0 and attname not in ('id', 'external_id')",
  );
  await pool.query(
    `insert into parked_file (id, external_id, ${rows[0].names}) select gen_random_uuid(), 'never ' || n, ${rows[0].names}
    from parked_file, generate_series(1, 9999) n where company_id = $1`,
    [full.company.id],
  );
  const before = await kept();
  const refused = await post({ external_id: 'one more', file: gif() }, full.token);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '300']);
  expect(await kept()).toEqual(before);
  expect((await post({ external_id: 'never', file: gif() }, full.token)).body).toEqual(first.body);
  await full.must('POST', '/ingest/orders', { orders: [element('never')] });
  await app.settled();
  expect((await post({ external_id: 'never', file: gif() }, full.token)).status).toBe(201);
  expect((await post({ external_id: 'one more', file: gif() }, full.token)).status).toBe(202);
  expect((await full.must('GET', '/ingest/status')).parked_files).toBe(10_000);
});

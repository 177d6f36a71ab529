import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { NoPreview, renderPreview, Unsure } from '../../src/files/previews/render-preview.ts';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';
import { until } from '../helpers/until.ts';
import { png } from '../ingest/files/sample-files.ts';
import { sendForm, upload } from './form.ts';
import { drawing, flood, laughing, tireless } from './hostile-files.ts';
import { pdfOf } from './sample-pdf.ts';

let app: TestApp;
let tenant: Tenant;
let orderId: string;
beforeAll(async () => {
  app = await startTestApp({ previews: true });
  tenant = await makeTenant(app);
  orderId = (await makeOrder(tenant)).id;
});
afterAll(() => app.close());

const stored = () => readdir(join(app.folder, 'files'));

/** Attaches a file and lets the worker do what is due. */
async function attached(bytes: Buffer, name: string) {
  const answer = await sendForm(app, 'POST', `/v1/orders/${orderId}/file_attachments`, [['file', bytes, name]], tenant.token);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  expect(answer.body.data).toMatchObject({ preview_url: null, preview_mime_type: null });
  await app.settled();
  return tenant.must('GET', `/v1/file_attachments/${answer.body.data.id}`);
}

async function previewOf(url: string, token = tenant.token) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Red above, blue below, as the camera was held; said to be turned by its Exif. */
const photo = (width: number, height: number, orientation: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .composite([{ input: { create: { width, height: height / 2, channels: 3, background: 'blue' } }, gravity: 'south' }])
    .withExif({ IFD0: { Artist: 'Dora Wheel' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '30/1 15/1 0/1' } })
    .withMetadata({ orientation })
    .jpeg()
    .toBuffer();

async function colourAt(bytes: Buffer, left: number, top: number) {
  const [r, g, b] = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  return [r! > 200, g! > 200, b! > 200];
}

test("the preview of a photo is small, turned upright, and without the camera's data", async () => {
  const file = await attached(await photo(3_000, 2_000, 6), 'gate.jpg');
  expect(unsigned(file)).toMatchObject({
    preview_url: `${app.url}/v1/file_attachments/${file.id}/preview`,
    preview_mime_type: 'image/jpeg',
  });
  const { status, headers, bytes } = await previewOf(file.preview_url);
  expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([200, 'image/jpeg', 'nosniff']);
  expect([headers.get('content-length'), headers.get('content-disposition')]).toEqual([
    String(bytes.length),
    expect.stringContaining('filename="gate-preview.jpg"'),
  ]);
  const { width, height, exif, orientation } = await sharp(bytes).metadata();
  expect([width, height, exif, orientation]).toEqual([683, 1_024, undefined, undefined]);
  // Turned a quarter to the right: what was above is on the right.
  expect([await colourAt(bytes, 600, 512), await colourAt(bytes, 80, 512)]).toEqual([
    [true, false, false],
    [false, false, true],
  ]);
  // The file itself is as it came.
  expect((await sharp((await previewOf(file.file_url)).bytes).metadata()).orientation).toBe(6);
});

test('every type of image has a preview, on white if it is transparent, and no larger than itself', async () => {
  const clear = () => sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 0, g: 0, b: 255, alpha: 0 } } });
  const files = [
    [await clear().png().toBuffer(), 'a.png'],
    [await clear().webp().toBuffer(), 'a.webp'],
    [await clear().gif().toBuffer(), 'a.gif'],
    [
      await sharp({ create: { width: 40, height: 30, channels: 3, background: 'white' } })
        .jpeg()
        .toBuffer(),
      'a.jpg',
    ],
  ] as const;
  for (const [bytes, name] of files) {
    const file = await attached(bytes, name);
    const preview = await previewOf(file.preview_url);
    const { format, width, height } = await sharp(preview.bytes).metadata();
    expect([name, format, width, height]).toEqual([name, 'jpeg', 40, 30]);
    expect([name, await colourAt(preview.bytes, 20, 15)]).toEqual([name, [true, true, true]]);
  }
});

test('the first page of a PDF is drawn with its rotation', async () => {
  const file = await attached(drawing('1 0 0 rg 0 396 612 396 re f', '/Rotate 90'), 'slip.pdf');
  const { bytes } = await previewOf(file.preview_url);
  const { width, height } = await sharp(bytes).metadata();
  expect([file.preview_mime_type, width, height]).toEqual(['image/jpeg', 1_024, 791]);
  expect([await colourAt(bytes, 900, 400), await colourAt(bytes, 100, 400)]).toEqual([
    [true, false, false],
    [true, true, true],
  ]);
});

test('files that cannot be shown have no preview, are not tried again, and delay no other', async () => {
  const before = await stored();
  const hostile: [string, Buffer][] = [
    // 900 MB of pixels in 60 bytes.
    ['flood.gif', flood(15_000)],
    ['empty.png', png({ width: 90, height: 90 })],
    // Twenty drawings in each of twenty, nine times over: they would be drawn until the sun goes out.
    ['laughs.pdf', laughing()],
    ['locked.pdf', pdfOf({ trailer: '/Encrypt<</Filter/Standard/V 1/R 2/O(x)/U(x)/P 0>>/ID[(a)(b)]' })],
  ];
  const ids: string[] = [];
  for (const [name, bytes] of hostile) {
    const made = await sendForm(app, 'POST', `/v1/orders/${orderId}/file_attachments`, [['file', bytes, name]], tenant.token);
    expect([name, made.status, made.body.error]).toEqual([name, 201, undefined]);
    ids.push(made.body.data.id);
  }
  const good = await attached(await photo(100, 100, 1), 'good.jpg');
  expect(good.preview_url).not.toBeNull();
  const rows = await app.orm.em.execute<{ file_name: string; preview_id: string | null; preview_due_at: Date | null; tries: number }[]>(
    'select file_name, preview_id, preview_due_at, preview_attempts as tries from file_attachment where id = any(?) order by id',
    [`{${ids.join()}}`],
  );
  expect(rows).toEqual(hostile.map(([file_name]) => ({ file_name, preview_id: null, preview_due_at: null, tries: 1 })));
  for (const id of ids) {
    expect((await tenant.must('GET', `/v1/file_attachments/${id}`)).preview_url).toBeNull();
    expect((await tenant.http('GET', `/v1/file_attachments/${id}/preview`)).status).toBe(404);
  }
  expect((await stored()).length).toBe(before.length + hostile.length + 2);
});

test('a preview is readable by those who may read the file, and is deleted with it', async () => {
  const file = await attached(await photo(100, 100, 1), 'mine.jpg');
  const stranger = await makeTenant(app);
  expect((await previewOf(file.preview_url, stranger.token)).status).toBe(404);
  expect((await previewOf(file.preview_url, 'nobody')).status).toBe(401);
  const driver = await tenant.person({ roles: ['driver'] });
  expect((await previewOf(file.preview_url, driver.token)).status).toBe(404);
  const [{ preview_id: key } = { preview_id: '' }] = await app.orm.em.execute<{ preview_id: string }[]>(
    'select preview_id from file_attachment where id = ?',
    [file.id],
  );
  expect(await stored()).toEqual(expect.arrayContaining([file.id, key]));
  // A file that a row names is nobody's orphan, however old it is.
  expect(await sweepFiles(app.productOrm.em, -60_000)).toBe(0);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${file.id}`)).status).toBe(204);
  await until(async () => !(await stored()).some((one) => one === key || one === file.id));
});

test('a file that the storage does not return is tried again later, at most five times', async () => {
  const made = await sendForm(
    app,
    'POST',
    `/v1/orders/${orderId}/file_attachments`,
    [['file', await photo(10, 10, 1), 'a.jpg']],
    tenant.token,
  );
  const { id } = made.body.data;
  await rename(join(app.folder, 'files', id), join(app.folder, 'away'));
  const state = async () => {
    const [row] = await app.orm.em.execute<{ later: boolean | null; tries: number }[]>(
      'select preview_due_at > now() as later, preview_attempts as tries from file_attachment where id = ?',
      [id],
    );
    return row;
  };
  for (let tries = 1; tries <= 5; tries++) {
    await app.settled();
    expect(await state()).toEqual({ later: tries < 5 ? true : null, tries });
    await app.orm.em.execute('update file_attachment set preview_due_at = now() where id = ? and preview_due_at is not null', [id]);
  }
  // As if an operator had asked once more.
  await rename(join(app.folder, 'away'), join(app.folder, 'files', id));
  await app.orm.em.execute('update file_attachment set preview_due_at = now(), preview_attempts = 0 where id = ?', [id]);
  await app.settled();
  expect((await tenant.must('GET', `/v1/file_attachments/${id}`)).preview_mime_type).toBe('image/jpeg');
});

test('the picture of a ticket has a preview; another picture has another', async () => {
  await tenant.must('PUT', `/v1/orders/${orderId}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${orderId}/jobs`);
  const ticket = await tenant.must('POST', '/v1/tickets', { job_id: job.id, ticket_number: 'T-1', unit_of_measure: 'Ton' });
  const set = async (width: number) => {
    const image = await upload(app, tenant.token, await photo(width, 50, 1), 'slip.jpg', 'image/jpeg');
    const answer = await tenant.must('POST', `/v1/tickets/${ticket.id}/image`, { image });
    expect(answer.preview_url).toBeNull();
    await app.settled();
    return tenant.must('GET', `/v1/tickets/${ticket.id}`);
  };
  for (const width of [60, 80]) {
    const shown = await set(width);
    expect([unsigned(shown.preview_url), shown.preview_mime_type]).toEqual([
      `${app.url}/v1/tickets/${ticket.id}/image/preview`,
      'image/jpeg',
    ]);
    const preview = await previewOf(shown.preview_url);
    expect([preview.headers.get('content-type'), (await sharp(preview.bytes).metadata()).width]).toEqual(['image/jpeg', width]);
  }
  const stranger = await makeTenant(app);
  expect((await previewOf(`${app.url}/v1/tickets/${ticket.id}/image/preview`, stranger.token)).status).toBe(404);
});

test('in a sandbox whose clock is ahead, the picture of a ticket has its preview as soon as elsewhere', async () => {
  const { id, client_id, client_secret } = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' });
  const { body } = await app.http('POST', '/v1/auth/token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
  });
  const token: string = body.access_token;
  const call = async (method: string, path: string, sent?: object) => {
    const answer = await app.http(method, path, { token, body: sent });
    expect([answer.status < 300, answer.body.error]).toEqual([true, undefined]);
    return answer.body.data;
  };
  await call('PATCH', `/v1/sandboxes/${id}`, { seconds: 86_400 });
  const ticket = await call('POST', '/v1/tickets', { ticket_number: 'T-2', unit_of_measure: 'Ton' });
  const image = await upload(app, token, await photo(60, 50, 1), 'slip.jpg', 'image/jpeg');
  await call('POST', `/v1/tickets/${ticket.id}/image`, { image });
  await app.settled();
  expect(await call('GET', `/v1/tickets/${ticket.id}`)).toMatchObject({ preview_mime_type: 'image/jpeg' });
});

test('a process ends when its computing time is over, or on request', async () => {
  const rendered = (bytes: Buffer, options: Parameters<typeof renderPreview>[2]) =>
    renderPreview(Readable.from([bytes]), 'application/pdf', options).catch((error: Error) => error);
  const endless = tireless(300_000);
  const spent = await rendered(endless, { cpuSeconds: 1 });
  expect([spent, String(spent)]).toEqual([expect.any(NoPreview), expect.stringContaining('SIGXCPU')]);
  expect(await rendered(endless, { patience: 50 })).toEqual(new Unsure('took too long'));
  expect(await rendered(endless, { signal: AbortSignal.timeout(50) })).toBeInstanceOf(Unsure);
});

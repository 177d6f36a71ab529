import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FILE_PATH, PREVIEW_PATH } from '../../src/files/file-url.ts';
import { signId } from '../../src/files/signed-ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';
import { jpeg, pdf, png } from '../ingest/files/sample-files.ts';
import { sendForm, upload } from './form.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ previews: true, worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** As an `<img>` asks: without a token. */
async function shown(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
const statusOf = async (url: string, token?: string) => (await shown(url, token ? { Authorization: `Bearer ${token}` } : {})).status;

async function attach(bytes = png(), name = 'gate.png') {
  const { id } = await makeOrder(tenant);
  const { body } = await sendForm(app, 'POST', `/v1/orders/${id}/file_attachments`, [['file', bytes, name]], tenant.token);
  await app.settled();
  return tenant.must('GET', `/v1/file_attachments/${body.data.id}`);
}

/** The same answer twice, of one quarter of an hour. */
async function twice<T>(read: () => Promise<T>): Promise<[T, T]> {
  const quarter = () => Math.floor(Date.now() / 900_000);
  for (;;) {
    const before = quarter();
    const both: [T, T] = [await read(), await read()];
    if (quarter() === before) return both;
  }
}

test('a page shows files and previews by their URLs alone, for a while', async () => {
  const file = await attach();
  const { status, headers, bytes } = await shown(file.file_url);
  expect([status, headers.get('content-type'), bytes.equals(png())]).toEqual([200, 'image/png', true]);
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers.get('cache-control')!)!;
  expect(Number(seconds)).toBeGreaterThan(14 * 60);
  expect(Number(seconds)).toBeLessThanOrEqual(30 * 60);
  expect((await shown(file.preview_url)).headers.get('content-type')).toBe('image/jpeg');
  expect((await fetch(file.file_url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(png().length));
});

test('the pictures of tickets and signatures are shown so, and archives downloaded, over both interfaces', async () => {
  const order = await makeOrder(tenant);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const ticket = await tenant.must('POST', '/v1/tickets', { job_id: job.id, ticket_number: 'T-1', unit_of_measure: 'Ton' });
  const image = await upload(app, tenant.token, jpeg(), 'slip.jpg', 'image/jpeg');
  await tenant.must('POST', `/v1/tickets/${ticket.id}/image`, { image });
  await sendForm(app, 'PUT', tenant.path(`/jobs/${job.id}/signatures/driver`), [['image', png(), 'sign.png']], tenant.token);
  await sendForm(app, 'POST', `/v1/jobs/${job.id}/file_attachments`, [['file', pdf(), 'a.pdf']], tenant.token);
  const { id } = await tenant.must('POST', '/v1/bulk_downloads', { type: 'zip', job_ids: [job.id] });
  await app.settled();
  const { data } = await tenant.gql(
    `query ($ticket: ID!, $job: ID!, $archive: ID!) {
      ticket(id: $ticket) { imageUrl previewUrl }
      jobSignatures(jobId: $job) { nodes { imageUrl } }
      bulkDownload(id: $archive) { objects { url } }
    }`,
    { ticket: ticket.id, job: job.id, archive: id },
  );
  const rest = await tenant.must('GET', `/v1/tickets/${ticket.id}`);
  const urls = [data.ticket.imageUrl, data.ticket.previewUrl, rest.image_url, rest.preview_url];
  urls.push(data.jobSignatures.nodes[0].imageUrl, data.bulkDownload.objects[0].url);
  for (const url of urls) expect([url, await statusOf(url)]).toEqual([url, 200]);
  // Another picture has another URL, and the former one opens nothing.
  const other = await upload(app, tenant.token, jpeg({ pad: 10 }), 'other.jpg', 'image/jpeg');
  await tenant.must('POST', `/v1/tickets/${ticket.id}/image`, { image: other });
  expect(await statusOf(data.ticket.imageUrl)).toBe(404);
  expect(await statusOf(data.ticket.previewUrl)).toBe(404);
});

test('a signature opens one file of one company, in one size, until it expires', async () => {
  const [file, another] = [await attach(), await attach()];
  const signature = (url: string) => new URL(url).searchParams.get('signature')!;
  const bare = unsigned<string>(file.file_url);
  expect(await statusOf(bare)).toBe(401);
  const [content, mac] = signature(file.file_url).split('.') as [string, string];
  const sign = (path: string, more: object = {}) =>
    signId(app.application, `get ${path.replace('{id}', file.id)}`, {
      ...{ id: file.id, companyId: tenant.company.id, expires: Date.now() + 60_000, ...more },
    });
  expect(await statusOf(`${bare}?signature=${sign(FILE_PATH)}`)).toBe(200);
  const wrong = {
    empty: '',
    'cut off': content,
    'of another file': signature(another.file_url),
    'of the preview': sign(PREVIEW_PATH),
    'for uploads': signId(app.application, 'put', { id: file.id, companyId: tenant.company.id, expires: Date.now() + 60_000 }),
    'with another content': `${Buffer.from(JSON.stringify([file.id, tenant.company.id, 9e15])).toString('base64url')}.${mac}`,
    'of another company': sign(FILE_PATH, { companyId: (await makeTenant(app)).company.id }),
    'of other bytes': sign(FILE_PATH, { id: another.id }),
    expired: sign(FILE_PATH, { expires: Date.now() - 1 }),
  };
  for (const [what, given] of Object.entries(wrong)) {
    const answer = await fetch(`${bare}?signature=${given}`);
    expect([what, answer.status, await answer.json()]).toEqual([what, 404, { error: { code: 'object_not_found' } }]);
  }
  // Whoever has a token is asked by that.
  const stranger = await makeTenant(app);
  expect(await statusOf(file.file_url, stranger.token)).toBe(404);
  expect(await statusOf(`${bare}?signature=x`, tenant.token)).toBe(200);
});

test('a file that was deleted is not shown any more', async () => {
  const file = await attach();
  expect(await statusOf(file.file_url)).toBe(200);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${file.id}`)).status).toBe(204);
  expect(await statusOf(file.file_url)).toBe(404);
  expect(await statusOf(file.preview_url)).toBe(404);
});

test('URLs and tags are the same for a quarter of an hour; a new signature is no change of the record', async () => {
  const { id } = await attach();
  const path = `/v1/file_attachments/${id}`;
  const read = async (headers = {}) => app.http('GET', path, { token: tenant.token, headers });
  const [first, second] = await twice(() => read());
  expect(second.body).toEqual(first.body);
  const etag = first.headers.get('etag')!;
  expect([second.headers.get('etag'), etag]).toEqual([etag, expect.stringMatching(/^"[\w-]{22}\.[\w-]{22}"$/)]);
  // The tag that somebody else kept, or the same client an hour ago.
  const former = etag.replace(/\..*"$/, '.AAAAAAAAAAAAAAAAAAAAAA"');
  expect((await read({ 'if-none-match': former })).status).toBe(200);
  const patch = (tag: string) =>
    app.http('PATCH', path, { token: tenant.token, headers: { 'if-match': tag }, body: { description: 'Gate 4' } });
  expect((await patch(`"other.AAAA"`)).status).toBe(412);
  expect((await patch(former)).status).toBe(200);
  expect((await patch(former)).status).toBe(412);
});

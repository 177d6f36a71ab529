import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { sendForm } from '../../files/form.ts';
import { drawing, laughing } from '../../files/hostile-files.ts';
import { pdfOf } from '../../files/sample-pdf.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';

let app: TestApp;
let tenant: Tenant;
let library: PDFiumLibrary;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
  library = await PDFiumLibrary.init();
});
afterAll(() => app.close());

async function makeJob(): Promise<{ id: string; job_id: string }> {
  const order = await makeOrder(tenant);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  return (await tenant.must('GET', `/v1/orders/${order.id}/jobs`))[0];
}

async function attach(path: string, bytes: Buffer, name: string): Promise<string> {
  const answer = await sendForm(app, 'POST', `/v1/${path}/file_attachments`, [['file', bytes, name]], tenant.token);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body.data.id;
}

const state = (id: string) => tenant.must('GET', `/v1/bulk_downloads/${id}`);
const ask = (jobs: { id: string }[], language = 'en', type = 'pdf') =>
  app.http('POST', '/v1/bulk_downloads', {
    token: tenant.token,
    headers: { 'Accept-Language': language },
    body: { type, job_ids: jobs.map(({ id }) => id) },
  });

interface Page {
  size: [number, number];
  text: string;
  /** The colours in its middle above and below: red, green, blue. */
  colours: [number[], number[]];
}

/** Asks, waits until it is made, and looks at its pages. */
async function pagesOf(jobs: { id: string }[], language?: string): Promise<Page[]> {
  const asked = await ask(jobs, language);
  expect([asked.status, asked.body.error]).toEqual([202, undefined]);
  await app.settled();
  const ready = await state(asked.body.data.id);
  expect(ready).toMatchObject({
    type: 'pdf',
    state: 'success',
    objects: [{ name: expect.stringMatching(/^files-\d{4}-\d\d-\d\d\.pdf$/) }],
  });
  const response = await fetch(ready.objects[0].url, { headers: { Authorization: `Bearer ${tenant.token}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const document = await library.loadDocument(new Uint8Array(await response.arrayBuffer()));
  const pages: Page[] = [];
  for (const page of document.pages()) {
    // Drawing closes the page.
    const text = page.getText();
    const { data, width, height } = await page.render({ scale: 1, render: 'bitmap' });
    const at = async (part: number) => [...data.subarray(4 * (Math.floor(height * part) * width + (width >> 1))).subarray(0, 3)];
    pages.push({ size: [width, height], text, colours: [await at(0.25), await at(0.75)] });
  }
  document.destroy();
  return pages;
}

/** Red above, blue below, as the camera was held; said to be turned by its Exif. */
const photo = (orientation: number) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
    .composite([{ input: { create: { width: 300, height: 100, channels: 3, background: 'blue' } }, gravity: 'south' }])
    .withMetadata({ orientation })
    .jpeg()
    .toBuffer();
const clear = sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 0, g: 0, b: 255, alpha: 0 } } });
const reddish = ([r, , b]: number[]) => r! > 200 && b! < 60;
/** Nobody knows its password: what it compares passwords with is made up. */
const locked = () =>
  pdfOf({
    trailer: `/ID[(0123456789abcdef)(0123456789abcdef)]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(${'o'.repeat(32)})/U(${'u'.repeat(32)})>>`,
  });

test('the pages of PDFs and a page for each image are in one PDF, by job and in their order', async () => {
  const [first, second] = [await makeJob(), await makeJob()];
  const load = await tenant.must('POST', `/v1/jobs/${first.id}/loads`, {});
  await attach(`jobs/${second.id}`, await photo(1), 'gate.jpg');
  await attach(`jobs/${first.id}`, await photo(6), 'turned.jpg');
  await attach(`jobs/${first.id}`, drawing('1 0 0 rg 0 396 612 396 re f'), 'plan.pdf');
  await attach(`loads/${load.id}`, await clear.webp().toBuffer(), 'clear.webp');
  await attach(`jobs/${second.id}`, await photo(4), 'mirrored.jpg');
  const ticket = await tenant.must('POST', '/v1/tickets', { job_id: second.id, ticket_number: '7', unit_of_measure: 'Ton' });
  const given = await sendForm(app, 'POST', `/v1/tickets/${ticket.id}/image`, [['image', await photo(3), 'x.jpg']], tenant.token);
  expect([given.status, given.body?.error]).toEqual([201, undefined]);
  const pages = await pagesOf([first, second]);
  expect(pages.map(({ size }) => size)).toEqual([
    [150, 225],
    [612, 792],
    [30, 22],
    [225, 150],
    [225, 150],
    [225, 150],
  ]);
  // Turned a quarter to the right what was above is on the right; mirrored or turned by half its foot is above.
  expect(pages.map(({ colours }) => colours.map(reddish))).toEqual([
    expect.anything(),
    [true, false],
    [false, false],
    [true, false],
    [false, true],
    [false, true],
  ]);
  // On white where it is clear, and nothing is said where nothing is left out.
  expect([pages[2]!.colours[0], pages.map(({ text }) => text.trim()).join('')]).toEqual([[255, 255, 255], '']);
});

test("files that cannot be merged are named on a last page, in the requester's language; one that ends its process is among them", async () => {
  const job = await makeJob();
  await attach(`jobs/${job.id}`, png(), 'good.png');
  await attach(`jobs/${job.id}`, locked(), 'locked.pdf');
  await attach(`jobs/${job.id}`, laughing(), 'Жбомба.pdf');
  await attach(`jobs/${job.id}`, drawing('0 0 9 9 re f'), 'good.pdf');
  const said = async (of: { id: string }, pages: number, language?: string) => {
    const made = await pagesOf([of], language);
    expect(made.map(({ text }) => text.trim() === '')).toEqual([...Array(pages).fill(true), false]);
    return made
      .at(-1)!
      .text.split(/[\r\n]+/)
      .filter((line) => line.trim());
  };
  expect(await said(job, 2)).toEqual([
    'Files that could not be included:',
    `${job.job_id}/locked.pdf: asks for a password`,
    `${job.job_id}/<416><431><43e><43c><431><430>.pdf: cannot be read`,
  ]);
  const other = await makeJob();
  await attach(`jobs/${other.id}`, locked(), 'locked.pdf');
  expect(await said(other, 0, 'fr-CA')).toEqual([
    "Fichiers qui n'ont pas pu être inclus :",
    `${other.job_id}/locked.pdf: exige un mot de passe`,
  ]);
});

test('a PDF contains less than an archive, and says so', async () => {
  const job = await makeJob();
  const id = await attach(`jobs/${job.id}`, png(), 'a.png');
  await app.orm.em.execute('update file_attachment set byte_size = 250000001 where id = ?', [id]);
  const answer = await ask([job]);
  expect([answer.status, fieldsOf(answer), answer.body.error.errors[0].message]).toEqual([
    422,
    [''],
    expect.stringContaining('more than 1000 files or 250 MB'),
  ]);
  expect((await ask([job], 'en', 'zip')).status).toBe(202);
  await app.settled();
});

test('a PDF without files is ready at once and has no address', async () => {
  const { body } = await ask([await makeJob()]);
  expect(body.data).toMatchObject({ type: 'pdf', state: 'success', file_count: 0, objects: [] });
});

test('a file that the storage does not return is tried again, and nothing stays', async () => {
  const job = await makeJob();
  const away = await attach(`jobs/${job.id}`, png(), 'away.png');
  await rename(join(app.folder, 'files', away), join(app.folder, away));
  const { id } = (await ask([job])).body.data;
  await app.settled();
  expect(await state(id)).toMatchObject({ state: 'pending', objects: [] });
  await rename(join(app.folder, away), join(app.folder, 'files', away));
  await app.orm.em.execute('update bulk_download set due_at = now() where id = ?', [id]);
  await app.settled();
  expect(await state(id)).toMatchObject({ state: 'success', objects: [expect.anything()] });
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
});

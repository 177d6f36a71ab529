import { expect, test } from '@jest/globals';
import { sendForm } from '../../files/form.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { pdf } from '../../ingest/files/sample-files.ts';
import { makeBooks, settledWork } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ previews: true });

const path = (id: string) => `/v1/settlements/${id}/file_attachments`;
const attach = (id: string, by: Json) =>
  sendForm(
    books.app,
    'POST',
    path(id),
    [
      ['category', 'Other'],
      ['description', 'signed'],
      ['file', pdf(), 'lien waiver.pdf'],
    ],
    by.token,
  );

test('files are attached to a settlement, for those who read it', async () => {
  const { app, biller, tenant } = books;
  const id = (await settledWork(books, 'payable')).id;
  const made = await attach(id, biller);
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const file = made.body.data;
  expect(file).toMatchObject({ file_attachable_type: 'Settlement', file_attachable_id: id, file_name: 'lien waiver.pdf', editable: true });
  const listed = async (by: Json, of = id) => (await by.must('GET', path(of))).map((one: Json) => one.id);
  expect(await listed(biller)).toEqual([file.id]);

  // The driver who is paid reads them, and adds one.
  expect(await listed(tenant.driver)).toEqual([file.id]);
  const slip = await attach(id, tenant.driver);
  expect([slip.status, await listed(biller)]).toEqual([201, [slip.body.data.id, file.id]]);
  // The debts of customers are not theirs.
  const other = (await settledWork(books)).id;
  await attach(other, biller);
  expect((await tenant.driver.http('GET', path(other))).status).toBe(404);
  expect((await attach(other, tenant.driver)).status).toBe(404);

  // Whoever reads no settlements reads none of their files, by whatever path.
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await dispatcher.http('GET', path(id))).status).toBe(404);
  expect((await attach(id, dispatcher)).status).toBe(403);
  expect((await dispatcher.http('GET', `/v1/file_attachments/${file.id}`)).status).toBe(404);
  expect((await dispatcher.http('PATCH', `/v1/file_attachments/${file.id}`, { description: 'mine' })).status).toBe(404);
  expect((await dispatcher.http('DELETE', `/v1/file_attachments/${file.id}`)).status).toBe(404);
  const bytes = async (by: Json, path: string) =>
    (await fetch(`${app.url}/v1/file_attachments/${file.id}/${path}`, { headers: { authorization: `Bearer ${by.token}` } })).status;
  expect([await bytes(biller, 'file'), await bytes(tenant.driver, 'file')]).toEqual([200, 200]);
  await until(async () => (await biller.must('GET', `/v1/file_attachments/${file.id}`)).preview_url !== null);
  expect(await bytes(biller, 'preview')).toBe(200);
  expect([await bytes(dispatcher, 'file'), await bytes(dispatcher, 'preview')]).toEqual([404, 404]);
  expect((await biller.http('PATCH', `/v1/file_attachments/${file.id}`, { description: 'ours' })).body.data.description).toBe('ours');
  expect((await biller.http('DELETE', `/v1/file_attachments/${file.id}`)).status).toBe(204);

  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', path(id))).status).toBe(404);
  expect((await attach(id, stranger)).status).toBe(404);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { sweepFiles } from '../../../src/files/sweep-files.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { unsigned } from '../../helpers/unsigned.ts';
import { gif, jpeg, pdf, png, REFUSED, webp, zip } from './sample-files.ts';
import { filing } from './upload.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const { post, ofOrder, bytesOf, incoming, kept } = filing(() => ({ app, tenant }));
const send = (elements: object[]) => tenant.must('POST', '/ingest/orders', { orders: elements });
const element = (externalId: string) => ({
  external_id: externalId,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C', name: 'C' },
});

test('a file for an existing order is attached and returned unchanged', async () => {
  const order = await makeOrder(tenant, { external_id: 'A-1' });
  const answer = await post({ external_id: 'A-1', file: jpeg(), name: 'gate.jpg', category: 'Site Map', description: 'Gate 4' });
  expect(answer.status).toBe(201);
  const early = await post({ external_id: 'NOT-YET', file: jpeg() });
  for (const { headers } of [answer, early])
    expect([headers.get('content-language'), headers.get('vary')]).toEqual(['en', expect.stringContaining('Accept-Language')]);
  const file = answer.body.data;
  expect(file).toMatchObject({
    category: 'Site Map',
    description: 'Gate 4',
    file_attachable_id: order.id,
    file_attachable_type: 'Order',
    file_name: 'gate.jpg',
    mime_type: 'image/jpeg',
    preview_url: null,
    uploaded_by: { type: 'M2MClient', legal_name: tenant.company.legalName },
  });
  expect(unsigned(await tenant.must('GET', `/v1/file_attachments/${file.id}`))).toEqual(unsigned(file));
  expect(unsigned(await ofOrder(order))).toEqual([unsigned(file)]);
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

test('nobody attaches a file to an order that they may not see, and nothing stays of it', async () => {
  const order = await makeOrder(tenant, { external_id: 'HIDDEN' });
  const elsewhere = await tenant.save(Site, { company: ref(tenant.company), name: 'Elsewhere' });
  const limited = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('POST', tenant.path(`/users/${limited.user.id}/resource_scopes`), { resource_type: 'Site', resource_id: elsewhere.id });
  const foreman = await tenant.person({ roles: ['foreman'] });
  const before = await kept();
  for (const token of [foreman.token, tenant.driver.token, limited.token])
    expect((await post({ external_id: 'HIDDEN', file: jpeg() }, token)).status).toBe(404);
  expect([await ofOrder(order), await kept()]).toEqual([[], before]);
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { foreman_ids: [foreman.user.id] });
  expect((await post({ external_id: 'HIDDEN', file: jpeg() }, foreman.token)).status).toBe(201);
});

test('a file that comes first waits for its order, however the order is created', async () => {
  for (const [externalId, make] of [
    ['W-1', async () => void (await makeOrder(tenant, { external_id: 'W-1' }))],
    ['W-2', async () => void (await send([element('W-2')]))],
    [
      'W-3',
      async () => {
        const order = await makeOrder(tenant);
        await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { external_id: 'W-3' });
      },
    ],
  ] as const) {
    const answer = await post({ external_id: externalId, file: pdf(), name: 'ticket.pdf' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ data: { id: expect.any(String), external_id: externalId, state: 'created' } });
    expect((await tenant.http('GET', `/v1/file_attachments/${answer.body.data.id}`)).status).toBe(404);
    await make();
    await app.settled();
    const file = await tenant.must('GET', `/v1/file_attachments/${answer.body.data.id}`);
    const order = await tenant.must('GET', tenant.path(`/orders/${file.file_attachable_id}`));
    expect(order).toMatchObject({ external_id: externalId, order_summary: { file_attachments_count: 1 } });
    expect(Buffer.from(await (await bytesOf(file)).arrayBuffer()).equals(pdf())).toBe(true);
  }
});

test('an external id is compared exactly, and a waiting file belongs to its company only', async () => {
  await makeOrder(tenant, { external_id: 'Case-1' });
  expect((await post({ external_id: 'case-1', file: gif() })).status).toBe(202);
  const other = await makeTenant(app);
  expect((await post({ external_id: 'Case-1', file: gif() }, other.token)).status).toBe(202);
  expect((await post({ external_id: ' Case-1 ', file: gif() })).status).toBe(201);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

test('a file and its order find each other when they arrive concurrently', async () => {
  let attached = 0;
  // Milliseconds by which the order comes before the files, for each way to make it; each round moves to where both come at once.
  const leads = [0, 0, 0];
  const steps = [5, 5, 5];
  for (let round = 0; round < 36; round++) {
    const externalId = `R-${round}`;
    const make = [
      () => makeOrder(tenant, { external_id: externalId }),
      () => send([element(externalId), element(`${externalId}-b`)]),
      async () => {
        const order = await makeOrder(tenant);
        await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { external_id: externalId });
      },
    ][round % 3]!;
    const lead = leads[round % 3]!;
    const [one, two] = await Promise.all([
      pause(lead).then(() => post({ external_id: externalId, file: png() })),
      pause(lead).then(() => post({ external_id: externalId, file: jpeg() })),
      pause(-lead).then(make),
    ]);
    await app.settled();
    const found = [one, two].filter((answer) => answer!.status === 201).length;
    attached += found;
    const towards = found > 0 ? -1 : 1;
    // Faster while it is still far from there.
    steps[round % 3] = towards === Math.sign(steps[round % 3]!) ? steps[round % 3]! * 1.6 : towards * 5;
    leads[round % 3] = lead + steps[round % 3]!;
    for (const answer of [one!, two!]) {
      const file = await tenant.http('GET', `/v1/file_attachments/${answer.body.data.id}`);
      expect([externalId, answer.status, file.status]).toEqual([externalId, answer.status, 200]);
    }
  }
  // Otherwise the rounds have proved nothing about one of the two ways.
  expect(attached).toBeGreaterThan(0);
  expect(attached).toBeLessThan(72);
});

test('the same upload sent again is the same attachment', async () => {
  const order = await makeOrder(tenant, { external_id: 'D-1' });
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

test('every allowed type is detected by its content, whatever its name', async () => {
  await makeOrder(tenant, { external_id: 'T-1' });
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
    // PDFium opens what a gateway has put something before, or behind.
    [Buffer.concat([Buffer.from('<html>'), pdf()]), 'application/pdf'],
    [Buffer.concat([pdf(), zip()]), 'application/pdf'],
  ] as const) {
    const answer = await post({ external_id: 'T-1', file, name: 'page.html', type: 'text/html' });
    expect([answer.status, answer.body.data?.mime_type]).toEqual([201, type]);
    names.push(answer.body.data.file_name);
    expect((await bytesOf(answer.body.data)).headers.get('content-type')).toBe(type);
  }
  expect(names.slice(0, 5)).toEqual(['page.html.jpg', 'page.html.png', 'page.html.webp', 'page.html.gif', 'page.html.pdf']);
});

test('a file that only pretends to be of an allowed type is refused, and nothing of it stays', async () => {
  await makeOrder(tenant, { external_id: 'H-1' });
  const before = await kept();
  const reported: [string, number, string][] = [];
  const message = {
    unknown: 'is not a JPEG, PNG, WebP, GIF or PDF',
    damaged: 'is damaged or incomplete: save the picture anew, and send the whole file',
    empty: 'is empty',
    cut: 'is a PDF without its end (%%EOF), as after a transfer that broke off: send the whole file',
    unreadable: 'is a PDF of which no page, or not every page, can be opened: save or print it as a PDF anew',
  };
  for (const [what, file] of REFUSED) {
    const answer = await post({ external_id: 'H-1', file, name: 'scan.jpg', type: 'image/jpeg' });
    reported.push([
      what,
      answer.status,
      answer.body.error?.errors?.map((e: { field: string; message: string }) => `${e.field} ${e.message}`).join(),
    ]);
  }
  expect(reported).toEqual(REFUSED.map(([what, , why]) => [what, 422, `file ${message[why]}`]));
  expect(await kept()).toEqual(before);
  expect(await incoming()).toEqual([]);
});

test('harmful characters are removed from names', async () => {
  const order = await makeOrder(tenant, { external_id: 'N-1' });
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

test('nobody else gets a file', async () => {
  await makeOrder(tenant, { external_id: 'P-1' });
  const { data } = (await post({ external_id: 'P-1', file: png() })).body;
  const stranger = await makeTenant(app);
  expect((await bytesOf(data, stranger.token)).status).toBe(404);
  expect((await bytesOf(data, 'no.such.token')).status).toBe(401);
  expect((await fetch(unsigned(data.file_url))).status).toBe(401);
  expect((await tenant.http('GET', '/v1/file_attachments/nonsense/file')).status).toBe(404);
  expect((await tenant.http('GET', `/v1/file_attachments/${newId()}/file`)).status).toBe(404);
});

test("a parent reads its child's files, and not the reverse", async () => {
  const parent = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: parent.company } });
  const files: { file_url: string }[] = [];
  for (const one of [parent, child]) {
    await makeOrder(one, { external_id: 'P-2' });
    files.push((await post({ external_id: 'P-2', file: png() }, one.token)).body.data);
  }
  expect((await bytesOf(files[1]!, parent.token)).status).toBe(200);
  expect((await bytesOf(files[0]!, child.token)).status).toBe(404);
});

test('bytes without a row are removed after an hour, bytes with one stay', async () => {
  await makeOrder(tenant, { external_id: 'O-1' });
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

test('a company with too many waiting files gets 429, and keeps those it has', async () => {
  const full = await makeTenant(app);
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

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { gif, jpeg, pdf, png, webp } from '../ingest/files/sample-files.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const give = (bytes: Uint8Array, of = tenant, token?: string) => of.http('POST', of.path('/logo'), { logo: base64(bytes) }, token);
async function upload(bytes: Uint8Array, part = 'logo'): Promise<{ status: number; body: { data?: { logo_url: string } } }> {
  const form = new FormData();
  // The name of a file says nothing.
  form.append(part, new Blob([bytes], { type: 'text/html' }), 'logo.html');
  const response = await fetch(app.url + tenant.path('/logo'), {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.token}` },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as { data?: { logo_url: string } } };
}
const shown = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
};
const kept = () => readdir(join(app.folder, 'files')).catch(() => [] as string[]);

test('an image of each type becomes the logo, which everybody with its address can see', async () => {
  for (const [type, bytes] of Object.entries({ 'image/png': png(), 'image/jpeg': jpeg(), 'image/gif': gif(), 'image/webp': webp() })) {
    for (const bring of [upload, give]) {
      const answer = await bring(bytes);
      expect(answer.status).toBe(201);
      expect(await shown(answer.body.data!.logo_url)).toEqual({ status: 200, type, bytes: Buffer.from(bytes) });
    }
  }
  const { logo_url } = await tenant.must('GET', tenant.path('/logo'));
  expect(await tenant.must('GET', tenant.path('/logo'))).toEqual({ id: tenant.company.id, logo_url });
  expect((await tenant.must('GET', `/v1/companies/${tenant.company.id}`)).logo_url).toBe(logo_url);
});

test('a new logo has another address, and the old one is deleted with its bytes', async () => {
  const former = (await give(png())).body.data.logo_url;
  const next = (await give(gif())).body.data.logo_url;
  expect(next).not.toBe(former);
  expect((await shown(former)).status).toBe(404);
  await sweepFiles(app.productOrm.em, -60_000);
  expect(await kept()).toEqual([next.split('/').at(-1)]);
  expect((await shown(next)).status).toBe(200);
  const gone = await tenant.http('POST', tenant.path('/logo'), { logo: null });
  expect([gone.status, gone.body.data.logo_url]).toEqual([201, null]);
  await sweepFiles(app.productOrm.em, -60_000);
  expect(await kept()).toEqual([]);
});

test('an incomplete image is refused with the field, and nothing is stored', async () => {
  const refused = [
    await give(pdf()),
    await give(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')),
    await give(png().subarray(0, 40)),
    await give(new Uint8Array()),
    await tenant.http('POST', tenant.path('/logo'), { logo: 'no base64!' }),
    await tenant.http('POST', tenant.path('/logo'), { logo: 7 }),
    await tenant.http('POST', tenant.path('/logo'), {}),
    await give(Buffer.concat([png(), Buffer.alloc(2 * 1024 * 1024)])),
  ];
  for (const answer of refused) expect([answer.status, fieldsOf(answer)]).toEqual([422, ['logo']]);
  expect((await upload(Buffer.alloc(2 * 1024 * 1024 + 1))).status).toBe(422);
  expect((await upload(png(), 'picture')).status).toBe(422);
  expect((await tenant.http('POST', tenant.path('/logo'), 'a,b')).status).toBe(415);
  expect((await tenant.must('GET', tenant.path('/logo'))).logo_url).toBeNull();
  await sweepFiles(app.productOrm.em, -60_000);
  expect([await kept(), await readdir(join(app.folder, 'incoming'))]).toEqual([[], []]);
});

test('only people who may edit the company set a logo, over GraphQL too; no other file is public', async () => {
  const stranger = await makeTenant(app);
  expect((await tenant.http('POST', stranger.path('/logo'), { logo: base64(png()) })).status).toBe(404);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await give(png(), tenant, token)).status).toBe(403);
  expect((await tenant.http('POST', tenant.path('/logo'), { logo: base64(png()) }, '')).status).toBe(401);
  const mutation = 'mutation($id: ID!, $logo: String) { setCompanyLogo(companyId: $id, logo: $logo) { logoUrl } }';
  const { data } = await tenant.gql(mutation, { id: tenant.company.id, logo: `data:image/png;base64,${base64(png())}` });
  expect((await shown(data.setCompanyLogo.logoUrl)).type).toBe('image/png');
  const empty = await tenant.gql(mutation, { id: tenant.company.id, logo: '' });
  expect(empty.errors).toHaveLength(1);
  expect(await tenant.must('GET', `/v1/companies/${tenant.company.id}`)).toMatchObject({ logo_url: data.setCompanyLogo.logoUrl });
  for (const id of [tenant.company.id, tenant.driver.id, 'x']) expect((await shown(`${app.url}/v1/company_logos/${id}`)).status).toBe(404);
});

test('what a request for a logo says that nobody knows is named, and refused where the caller wants that', async () => {
  const text = JSON.stringify(base64(png()));
  const body = `{ "logo": null, "logo": ${text}, "colour": "red" }`;
  const send = (query: string, headers: object) =>
    app.http('POST', tenant.path(`/logo${query}`), {
      token: tenant.token,
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const { logo_url } = await tenant.must('POST', tenant.path('/logo'), { logo: null });
  const strictly = await send('?size=1', { prefer: 'handling=strict' });
  expect([strictly.status, strictly.body.error.errors.map(({ model, field }: { model: string; field: string }) => [model, field])]).toEqual(
    [
      422,
      [
        ['Request', 'size'],
        ['Company', 'colour'],
        ['Company', 'logo'],
      ],
    ],
  );
  expect((await tenant.must('GET', tenant.path('/logo'))).logo_url).toBe(logo_url);
  const made = await send('?size=1', {});
  expect([made.status, made.headers.get('warning'), made.body.meta]).toEqual([
    201,
    '299 - "Ignored: size, colour, logo"',
    { ignored: ['size', 'colour', 'logo'] },
  ]);
  expect((await shown(made.body.data.logo_url)).type).toBe('image/png');
  const plain = await app.http('POST', tenant.path('/logo'), {
    token: tenant.token,
    body: { logo: base64(gif()) },
    headers: { prefer: 'handling=strict' },
  });
  expect([plain.status, plain.headers.get('warning'), plain.headers.get('preference-applied'), Object.keys(plain.body)]).toEqual([
    201,
    null,
    'handling=strict',
    ['data'],
  ]);
});

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DriverDay } from '../../src/dispatch/model/driver-day.entity.ts';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { type Part, sendForm, upload } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';
import { jpeg, pdf, png } from '../ingest/files/sample-files.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const put = (path: string, parts: Part[], token = tenant.token) => sendForm(app, 'PUT', path, parts, token);
const stored = () => readdir(join(app.folder, 'files'));
async function hauled(more: object = {}): Promise<{ jobId: string; loadId: string; ofJob: string; ofLoad: string }> {
  const order = await makeOrder(tenant, more);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const load = await tenant.must('POST', `/v1/jobs/${job.id}/loads`, {});
  return { jobId: job.id, loadId: load.id, ofJob: tenant.path(`/jobs/${job.id}/signatures`), ofLoad: `/v1/loads/${load.id}/signatures` };
}

test('a driver and the person who receives the material sign a job and a load; signing again replaces', async () => {
  const { jobId, loadId, ofJob, ofLoad } = await hauled();
  for (const [path, signable_type, signable_id] of [
    [ofJob, 'Job', jobId],
    [ofLoad, 'Load', loadId],
  ] as const) {
    const driver = await put(`${path}/driver`, [
      ['image', png(), 'sign.png'],
      ['lat', '30.25'],
      ['lon', '-97.75'],
    ]);
    expect([driver.status, driver.body.error]).toEqual([201, undefined]);
    expect(unsigned(driver.body.data)).toEqual({
      id: expect.any(String),
      lat: expect.stringMatching(/^30\.25/),
      lon: expect.stringMatching(/^-97\.75/),
      image_url: `${app.url}/v1/signatures/${driver.body.data.id}/image`,
      image_mime_type: 'image/png',
      image_name: 'sign.png',
      type: 'DriverSignature',
      signable_type,
      signable_id,
    });
    const dropoff = await put(`${path}/dropoff`, [
      ['image', jpeg(), 'sign.jpg'],
      ['name', 'Pat Gate'],
      ['phone', '(512) 555-0199'],
    ]);
    expect(dropoff.body.data).toMatchObject({ name: 'Pat Gate', phone: '+15125550199', lat: null, type: 'DropoffSignature' });
    const before = (await stored()).length;
    const again = await put(`${path}/dropoff`, [
      ['image', png(), 'again.png'],
      ['name', 'Kim Gate'],
    ]);
    expect(again.body.data).toMatchObject({ id: dropoff.body.data.id, name: 'Kim Gate', phone: null, image_mime_type: 'image/png' });
    const listed = await tenant.must('GET', path);
    expect(listed.map((one: { type: string; name?: string }) => [one.type, one.name])).toEqual([
      ['DropoffSignature', 'Kim Gate'],
      ['DriverSignature', undefined],
    ]);
    await sweepFiles(app.productOrm.em, 0);
    expect(await stored()).toHaveLength(before);
    const image = await fetch(again.body.data.image_url, { headers: { Authorization: `Bearer ${tenant.token}` } });
    expect([image.headers.get('content-type'), Buffer.from(await image.arrayBuffer()).equals(png())]).toEqual(['image/png', true]);
    expect((await tenant.http('DELETE', `${path}/dropoff`)).status).toBe(204);
    expect((await tenant.http('DELETE', `${path}/dropoff`)).status).toBe(404);
    expect((await tenant.http('GET', `/v1/signatures/${again.body.data.id}/image`)).status).toBe(404);
    expect(await tenant.must('GET', path)).toHaveLength(1);
  }
});

test('a driver day is signed by its driver and the office, and by nobody else', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  await tenant.must('PUT', '/v1/users/me/driver_state/on_duty', {}, token);
  const day = await app.orm.em.fork().findOneOrFail(DriverDay, { driver: user.id }, { filters: { tenant: false } });
  const path = tenant.path(`/driver_days/${day.id}/signatures`);
  const signed = await put(`${path}/driver`, [['image', png(), 'sign.png']], token);
  expect([signed.status, signed.body.data]).toMatchObject([
    201,
    { signable_type: 'DriverDay', signable_id: day.id, type: 'DriverSignature' },
  ]);
  const again = await put(`${path}/driver`, [['image', jpeg(), 'again.jpg']], token);
  expect(again.body.data).toMatchObject({ id: signed.body.data.id, image_mime_type: 'image/jpeg' });
  const pat: Part[] = [
    ['image', png(), 'sign.png'],
    ['name', 'Pat Gate'],
  ];
  expect((await put(`${path}/dropoff`, pat)).body.data).toMatchObject({ name: 'Pat Gate' });
  const listed = await tenant.must('GET', path, undefined, token);
  expect(listed.map((one: { type: string }) => one.type)).toEqual(['DropoffSignature', 'DriverSignature']);
  const { token: mate } = await tenant.person({ roles: ['driver'] });
  const stranger = await makeTenant(app);
  expect((await put(`${path}/driver`, [['image', png(), 'a.png']], mate)).status).toBe(404);
  for (const other of [mate, stranger.token]) {
    expect((await tenant.http('GET', path, undefined, other)).status).toBe(404);
    expect((await tenant.http('GET', `/v1/signatures/${signed.body.data.id}/image`, undefined, other)).status).toBe(404);
  }
  expect((await put(`${path}/driver`, [['image', png(), 'a.png']], stranger.token)).status).toBe(404);
  expect((await tenant.http('GET', `/v1/signatures/${signed.body.data.id}/image`, undefined, token)).status).toBe(200);
  expect((await tenant.http('DELETE', `${path}/driver`, undefined, mate)).status).toBe(404);
  for (const kind of ['driver', 'dropoff']) expect((await tenant.http('DELETE', `${path}/${kind}`)).status).toBe(204);
  expect(await tenant.must('GET', path)).toEqual([]);
});

test('invalid signatures are refused, naming the field, and leave nothing', async () => {
  const { ofJob } = await hauled();
  const before = await stored();
  const wrong: [string, Part[], string[]][] = [
    ['driver', [], ['image']],
    ['driver', [['image', 'text']], ['image']],
    ['driver', [['image', pdf(), 'a.pdf']], ['image']],
    ['driver', [['image', png().subarray(0, 40), 'a.png']], ['image']],
    ['driver', [['image', jpeg({ pad: 2_200_000 }), 'a.jpg']], ['image']],
    [
      'driver',
      [
        ['image', png(), 'a.png'],
        ['lat', '91'],
      ],
      ['lat'],
    ],
    [
      'driver',
      [
        ['image', png(), 'a.png'],
        ['lat', 'north'],
      ],
      ['lat'],
    ],
    [
      'driver',
      [
        ['image', png(), 'a.png'],
        ['name', 'Pat'],
      ],
      ['name'],
    ],
    ['dropoff', [['image', png(), 'a.png']], ['name']],
    [
      'dropoff',
      [
        ['image', png(), 'a.png'],
        ['name', ''],
      ],
      ['name'],
    ],
    [
      'dropoff',
      [
        ['image', png(), 'a.png'],
        ['name', 'Pat'],
        ['phone', 'call me'],
      ],
      ['phone'],
    ],
    [
      'dropoff',
      [
        ['image', png(), 'a.png'],
        ['name', 'Pat'],
        ['phone', '+1 512 555 0199 ext. 12'],
      ],
      ['phone'],
    ],
  ];
  for (const [kind, parts, fields] of wrong) {
    const answer = await put(`${ofJob}/${kind}`, parts);
    expect([kind, answer.status, fieldsOf(answer)]).toEqual([kind, 422, fields]);
  }
  expect(await tenant.must('GET', ofJob)).toEqual([]);
  expect(await stored()).toEqual(before);
});

test('a person who may drive a job may sign it; nobody else may, and strangers find nothing', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const stranger = await makeTenant(app);
  const { ofJob, ofLoad } = await hauled();
  for (const path of [ofJob, ofLoad]) {
    expect([403, 404]).toContain((await put(`${path}/driver`, [['image', png(), 'a.png']], foreman.token)).status);
    expect((await put(`${path}/driver`, [['image', png(), 'a.png']], stranger.token)).status).toBe(404);
    expect((await stranger.http('GET', path)).status).toBe(404);
    expect((await put(`${path}/driver`, [['image', png(), 'a.png']], 'nobody')).status).toBe(401);
  }
  const made = (await put(`${ofJob}/driver`, [['image', png(), 'a.png']])).body.data;
  expect((await stranger.http('GET', `/v1/signatures/${made.id}/image`)).status).toBe(404);
});

test('signed work cannot be deleted before the signature is', async () => {
  for (const kind of ['ofJob', 'ofLoad'] as const) {
    const made = await hauled();
    await put(`${made[kind]}/driver`, [['image', png(), 'a.png']]);
    const deletes = kind === 'ofLoad' ? [`/v1/loads/${made.loadId}`, `/v1/jobs/${made.jobId}`] : [`/v1/jobs/${made.jobId}`];
    for (const path of deletes) {
      const refused = await tenant.http('DELETE', path);
      expect([path, refused.status, refused.body.error?.errors[0].message]).toEqual([path, 422, expect.stringContaining('is signed')]);
    }
    expect((await tenant.http('DELETE', `${made[kind]}/driver`)).status).toBe(204);
    for (const path of deletes) expect([path, (await tenant.http('DELETE', path)).status]).toEqual([path, 204]);
  }
});

test('GraphQL signs with a direct upload, and answers the id of a signature that was removed', async () => {
  const { jobId } = await hauled();
  const image = await upload(app, tenant.token, png(), 'a.png', 'image/png');
  const { body } = await app.graphql(
    `mutation($id: ID!, $input: CreateDropoffSignatureInput!) { signJobAtDropoff(jobId: $id, input: $input) { id name imageUrl } }`,
    { id: jobId, input: { image, name: 'Pat Gate' } },
    { token: tenant.token },
  );
  expect(body.data.signJobAtDropoff).toMatchObject({ name: 'Pat Gate', imageUrl: expect.stringContaining('/image?signature=') });
  const removed = await tenant.gql('mutation($id: ID!) { removeJobSignature(jobId: $id, type: DropoffSignature) }', { id: jobId });
  expect(removed.data).toEqual({ removeJobSignature: body.data.signJobAtDropoff.id });
});

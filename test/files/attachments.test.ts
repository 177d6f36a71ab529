import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { jpeg, pdf, png } from '../ingest/files/sample-files.ts';
import { type Part, sendForm, upload } from './form.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const form = (path: string, parts: Part[], token = tenant.token, headers = {}) => sendForm(app, 'POST', path, parts, token, headers);
const stored = () => readdir(join(app.folder, 'files')).catch((): string[] => []);
async function accepted(more: object = {}): Promise<{ order: { id: string }; job: { id: string }; load: { id: string } }> {
  const order = await makeOrder(tenant, more);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const load = await tenant.must('POST', `/v1/jobs/${job.id}/loads`, {});
  return { order, job, load };
}

test('a form attaches a file to an order, a project, a job and a load; a job shows the files of its loads, too', async () => {
  const { order, job, load } = await accepted();
  const project = await tenant.must('POST', '/v1/projects', { name: 'North ramp', account_id: tenant.account.id });
  const made: Record<string, string> = {};
  for (const [type, path] of [
    ['Order', `/orders/${order.id}`],
    ['Project', `/projects/${project.id}`],
    ['Job', `/jobs/${job.id}`],
    ['Load', `/loads/${load.id}`],
  ] as const) {
    const answer = await form(`/v1${path}/file_attachments`, [
      ['category', 'Scale Ticket (External)'],
      ['file', png(), '../../slip <1>.png'],
      ['description', `of the ${type}`],
    ]);
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    expect(answer.body.data).toMatchObject({
      category: 'Scale Ticket (External)',
      description: `of the ${type}`,
      file_attachable_type: type,
      file_name: 'slip 1.png',
      mime_type: 'image/png',
    });
    made[type] = answer.body.data.id;
    const listed = await tenant.must('GET', `/v1${path}/file_attachments`);
    expect(listed.map((file: { id: string }) => file.id)).toEqual([made[type]]);
  }
  const files = await tenant.must('GET', `/v1/jobs/${job.id}/files`);
  expect(files.map((file: { id: string }) => file.id)).toEqual([made.Load, made.Job]);
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
});

test('a refused form leaves nothing behind', async () => {
  const order = await makeOrder(tenant);
  const path = tenant.path(`/orders/${order.id}/file_attachments`);
  const before = await stored();
  const wrong: [Part[], number, string[]][] = [
    [[['category', 'Other']], 422, ['file']],
    [[['file', 'a text']], 422, ['file']],
    [[['file', Buffer.alloc(0), 'a.png']], 422, ['file']],
    [[['file', Buffer.from('MZ'), 'a.png']], 422, ['file']],
    [[['file', pdf().subarray(0, 60), 'a.pdf']], 422, ['file']],
    [
      [
        ['file', png(), 'a.png'],
        ['category', 'Novel'],
      ],
      422,
      ['category'],
    ],
    [
      [
        ['file', png(), 'a.png'],
        ['description', 'x\u0000'],
      ],
      422,
      ['description'],
    ],
    [
      [
        ['file', png(), 'a.png'],
        ['note', 'x'],
      ],
      422,
      ['note'],
    ],
    [
      [
        ['file', png(), 'a.png'],
        ['file', png(), 'b.png'],
      ],
      422,
      ['file'],
    ],
    [[['file', Buffer.alloc(10 * 1024 * 1024 + 1), 'a.png']], 422, ['file']],
  ];
  for (const [parts, status, fields] of wrong) {
    const answer = await form(path, parts);
    expect([answer.status, fieldsOf(answer)]).toEqual([status, fields]);
  }
  const nowhere = await form(`/v1/orders/${tenant.pickup.id}/file_attachments`, [['file', png(), 'a.png']]);
  expect(nowhere.status).toBe(404);
  const text = await app.http('POST', path, { token: tenant.token, body: 'x', headers: { 'Content-Type': 'text/plain' } });
  expect(text.status).toBe(415);
  expect((await form(path, [['file', png(), 'a.png']], 'nobody')).status).toBe(401);
  expect(await stored()).toEqual(before);
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
  expect(await tenant.must('GET', path)).toEqual([]);
});

test('a form that is sent again with its key is one file', async () => {
  const order = await makeOrder(tenant);
  const path = tenant.path(`/orders/${order.id}/file_attachments`);
  const key = { 'Idempotency-Key': 'slip-1' };
  const before = (await stored()).length;
  const first = await form(path, [['file', png(), 'a.png']], tenant.token, key);
  const again = await form(path, [['file', png(), 'a.png']], tenant.token, key);
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  expect((await form(path, [['file', jpeg(), 'a.png']], tenant.token, key)).status).toBe(422);
  expect(await tenant.must('GET', path)).toHaveLength(1);
  expect(await stored()).toHaveLength(before + 1);
});

test('office staff change and delete files, drivers their own; the bytes go with the row, and the audit log keeps the details', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const { job } = await accepted({ foreman_ids: [foreman.user.id] });
  const elsewhere = await accepted();
  const path = `/v1/jobs/${job.id}/file_attachments`;
  const byOffice = (await form(path, [['file', png(), 'a.png']])).body.data;
  const byForeman = (await form(path, [['file', jpeg(), 'b.jpg']], foreman.token)).body.data;
  const stray = await form(`/v1/jobs/${elsewhere.job.id}/file_attachments`, [['file', jpeg(), 'b.jpg']], foreman.token);
  expect(stray.status).toBe(404);
  const change = (id: string, body: object, token = tenant.token) => tenant.http('PATCH', `/v1/file_attachments/${id}`, body, token);
  expect((await change(byOffice.id, { category: 'Timesheet' }, foreman.token)).status).toBe(403);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${byOffice.id}`, undefined, foreman.token)).status).toBe(403);
  const own = await change(byForeman.id, { category: 'Timesheet', description: 'Monday' }, foreman.token);
  expect(own.body.data).toMatchObject({ category: 'Timesheet', description: 'Monday' });
  const kept = await change(byForeman.id, { description: null });
  expect(kept.body.data).toMatchObject({ category: 'Timesheet', description: null });
  const wrong = await change(byForeman.id, { category: null });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['category']]);
  expect((await change(byForeman.id, { category: 'Novel' })).status).toBe(422);

  expect(await stored()).toContain(byForeman.id);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${byForeman.id}`, undefined, foreman.token)).status).toBe(204);
  expect((await tenant.http('GET', `/v1/file_attachments/${byForeman.id}`)).status).toBe(404);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${byForeman.id}`)).status).toBe(404);
  await until(async () => !(await stored()).includes(byForeman.id));
  const audit = await app.orm.em
    .fork()
    .execute<{ event: string }[]>('select event from audit_entry where subject_id = ? order by created_at, id', [byForeman.id]);
  expect(audit.map(({ event }) => event)).toEqual(['create', 'update', 'update', 'destroy']);
});

test('a company that hauls a job reads its files and adds some, and changes those of its own side only', async () => {
  const vendor = await makeTenant(app);
  const account = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Hired Hauling',
    accountTypes: ['vendor'],
    connectedCompany: ref(vendor.company),
  });
  const { order, job, load } = await accepted();
  await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: account.id });
  const path = `/v1/jobs/${job.id}/file_attachments`;
  const ours = (await form(path, [['file', png(), 'map.png']])).body.data;
  const theirs = await form(`/v1/loads/${load.id}/file_attachments`, [['file', pdf(), 'scale.pdf']], vendor.token);
  expect([theirs.status, theirs.body.error]).toEqual([201, undefined]);
  expect(theirs.body.data).toMatchObject({ editable: true, deletable: true, uploaded_by: { legal_name: vendor.company.legalName } });
  const ids = (files: { id: string }[]) => files.map(({ id }) => id);
  for (const side of [tenant, vendor])
    expect(ids(await side.must('GET', `/v1/jobs/${job.id}/files`))).toEqual([theirs.body.data.id, ours.id]);
  expect((await vendor.http('GET', `/v1/file_attachments/${ours.id}/file`)).status).toBe(200);
  expect((await vendor.must('GET', `/v1/file_attachments/${ours.id}`)).editable).toBe(false);
  expect((await vendor.http('DELETE', `/v1/file_attachments/${ours.id}`)).status).toBe(403);
  expect((await vendor.http('PATCH', `/v1/file_attachments/${theirs.body.data.id}`, { description: 'net' })).status).toBe(200);
  const signed = await upload(app, vendor.token, png(), 'a.png', 'image/png');
  expect((await vendor.http('POST', `/v1/orders/${order.id}/file_attachments`, { file: signed })).status).toBe(403);
  const stranger = await makeTenant(app);
  for (const at of [path, `/v1/file_attachments/${ours.id}`, `/v1/file_attachments/${ours.id}/file`])
    expect((await stranger.http('GET', at)).status).toBe(404);
  expect((await stranger.http('POST', path, { file: signed })).status).toBe(404);
  expect((await vendor.http('DELETE', `/v1/file_attachments/${theirs.body.data.id}`)).status).toBe(204);
});

test("a vendor that gets a job after another one reads nothing of the other's work", async () => {
  const [former, next] = [await makeTenant(app), await makeTenant(app)];
  const accountOf = (vendor: Tenant) =>
    tenant.save(Account, {
      company: ref(tenant.company),
      name: 'Hired Hauling',
      accountTypes: ['vendor'],
      connectedCompany: ref(vendor.company),
    });
  const [first, second] = [await accountOf(former), await accountOf(next)];
  const { job } = await accepted();
  const path = `/v1/jobs/${job.id}/file_attachments`;
  const give = async (vendor: Account) => {
    await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendor.id });
    await tenant.must('PUT', `/v1/jobs/${job.id}/request`, {});
  };
  await give(first);
  await former.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  await former.must('PATCH', former.path(`/jobs/${job.id}`), { driver_id: former.driver.id });
  const ours = (await form(path, [['file', png(), 'map.png']])).body.data;
  const theirs = (await form(path, [['file', pdf(), 'invoice.pdf']], former.token)).body.data;
  const events = async (who: Tenant) =>
    (await who.must('GET', `/v1/jobs/${job.id}/job_events`)).map((one: { event_name: string; payload: unknown }) => [
      one.event_name,
      one.payload,
    ]);
  expect((await events(former)).map(([name]: string[]) => name)).toContain('JobAccepted');
  await tenant.must('PUT', `/v1/jobs/${job.id}/unassign`, {});
  await give(second);

  const seen = await events(next);
  expect(seen.map(([name]: string[]) => name)).toContain('JobSent');
  expect(seen.map(([name]: string[]) => name)).not.toContain('JobAccepted');
  expect(seen.map(([, payload]: unknown[]) => payload)).toEqual(seen.map(() => null));
  const nested = await next.gql(
    'query($id: ID!) { job(id: $id) { jobEvents(first: 50) { nodes { eventName payload createdBy { name } } } } }',
    {
      id: job.id,
    },
  );
  expect(nested.data.job.jobEvents.nodes.map(({ eventName }: { eventName: string }) => eventName)).not.toContain('JobAccepted');
  expect((await next.must('GET', path)).map(({ id }: { id: string }) => id)).toEqual([ours.id]);
  for (const at of [`/v1/file_attachments/${theirs.id}`, `/v1/file_attachments/${theirs.id}/file`])
    expect([(await next.http('GET', at)).status, (await former.http('GET', at)).status, (await tenant.http('GET', at)).status]).toEqual([
      404, 404, 200,
    ]);
  // Its own chain's doings it reads, and why it declined its owner reads.
  await next.must('PUT', `/v1/jobs/${job.id}/reject`, { reject_reason: 'no truck' });
  expect(await events(tenant)).toContainEqual(['JobDeclined', { reject_reason: 'no truck' }]);
  expect(await events(next)).toContainEqual(['JobDeclined', { reject_reason: 'no truck' }]);
  const owners = await events(tenant);
  for (const payload of [{ vendor_id: first.id }, { driver_id: former.driver.id }])
    expect(owners.map(([, one]: unknown[]) => one)).toContainEqual(payload);
});

test('files are deleted with their job or load, and so are their bytes', async () => {
  const { order, job, load } = await accepted();
  const attach = async (path: string): Promise<string> =>
    (await form(`/v1${path}/file_attachments`, [['file', png(), 'x.png']])).body.data.id;
  const ids = [await attach(`/orders/${order.id}`), await attach(`/jobs/${job.id}`), await attach(`/loads/${load.id}`)];
  const left = async () => (await stored()).filter((key) => ids.includes(key)).sort();
  expect(await left()).toEqual(ids.toSorted());
  await tenant.must('DELETE', `/v1/loads/${load.id}`);
  await tenant.must('DELETE', `/v1/jobs/${job.id}`);
  for (const gone of ids.slice(1)) expect((await tenant.http('GET', `/v1/file_attachments/${gone}`)).status).toBe(404);
  // Bytes go when the transaction has ended.
  await until(async () => (await left()).length <= 1);
  expect(await left()).toEqual([ids[0]]);
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { remindOfDocuments } from '../../../src/directory/compliance/reminders.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makePair, mustShare, truckOf } from '../../helpers/shares.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
});
afterAll(() => app.close());

const sql = <R = Json>(text: string, ...values: unknown[]) => app.orm.em.getConnection().execute<R[]>(text, values);
const fail = (error: unknown) => {
  throw error;
};
const remind = () => remindOfDocuments(app.productOrm.em, fail);
const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
/** Time goes by for everything of a company. */
const pass = (tenant: Tenant, days: number) =>
  sql(`update compliance_document set expires_at = expires_at - ? * interval '1 day' where company_id = ?`, days, tenant.company.id);
const eventsOf = async (tenant: Tenant): Promise<[string, number][]> =>
  (
    await sql(
      `select subject_id, payload from outbox_event where company_id = ? and name = 'compliance_document.expiring' order by position`,
      tenant.company.id,
    )
  ).map(({ subject_id, payload }) => [subject_id, payload.days]);
const mailsTo = async (email: string) => (await app.emails()).mails.filter((mail) => mail.to === email);

let kinds = 0;
const kindIn = (tenant: Tenant, more: object = {}): Promise<Json> =>
  tenant.must('POST', tenant.path('/compliance_document_types'), { name: `Paper ${++kinds}`, has_expiration: true, ...more });
const paperOf = (tenant: Tenant, kind: Json, days: number, at = `/users/${tenant.driver.id}`): Promise<Json> =>
  tenant.must('POST', tenant.path(`${at}/compliance_documents`), { compliance_document_type_id: kind.id, expires_at: inDays(days) });
const adminOf = async (tenant: Tenant, more: object = {}) =>
  (await tenant.person({ roles: ['company_admin'], firstName: 'Ann', ...more })).user;

test('a reminder of a document is sent 30, 14 and 7 days before it expires, once each, and again after a renewal', async () => {
  // Where all days have 24 hours.
  const tenant = await makeTenant(app, { company: { timeZone: zoneAt(12) } });
  const admin = await adminOf(tenant);
  const paper = await paperOf(tenant, await kindIn(tenant, { name: 'Medical card' }), 31);
  const path = tenant.path(`/users/${tenant.driver.id}/compliance_documents/${paper.id}`);
  const thresholds = async () => (await eventsOf(tenant)).map(([, days]) => days);
  await remind();
  expect(await thresholds()).toEqual([]);
  expect((await tenant.must('GET', path)).notification_sent_at).toBeNull();
  for (const [days, expected] of [
    [2, [30]],
    [10, [30]],
    [6, [30, 14]],
    [7, [30, 14, 7]],
    [4, [30, 14, 7]],
    // It has run out.
    [5, [30, 14, 7]],
  ] as const) {
    await pass(tenant, days);
    await remind();
    expect(await thresholds()).toEqual(expected);
  }
  expect((await tenant.must('GET', path)).notification_sent_at).toEqual(expect.any(String));
  const mails = await mailsTo(admin.email!);
  expect(mails.map(({ text }) => /days left: (\d+)/.exec(text)![1])).toEqual(['29', '13', '6']);
  expect(mails[0]).toMatchObject({ subject: expect.stringMatching(/^Medical card of Dora Wheel runs out on \w+ \d+, 20\d\d$/) });
  expect(mails[0]!.text).toContain(tenant.company.legalName);
  await tenant.must('PATCH', path, { expires_at: inDays(400) });
  expect((await tenant.must('GET', path)).notification_sent_at).toBeNull();
  await remind();
  await pass(tenant, 388);
  await remind();
  // Twelve days are below the second threshold, so the reminder of the first is not sent any more.
  expect(await thresholds()).toEqual([30, 14, 7, 14]);
  const [{ audits }] = await sql(
    `select count(*)::int as audits from audit_entry where subject_id = ? and created_by_type = 'System'`,
    paper.id,
  );
  expect(audits).toBe(4);
});

test('concurrent processes send each reminder once', async () => {
  const tenant = await makeTenant(app);
  const admin = await adminOf(tenant);
  const kind = await kindIn(tenant);
  const documents = [await paperOf(tenant, kind, 5), await paperOf(tenant, kind, 6, `/accounts/${tenant.vendor.id}`)];
  await Promise.all([remind(), remind(), remind(), remind()]);
  expect((await eventsOf(tenant)).sort()).toEqual(documents.map(({ id }) => [id, 7]).sort());
  expect(await mailsTo(admin.email!)).toHaveLength(2);
});

test('a process that dies while it reminds has sent nothing, and the next one sends once', async () => {
  const tenant = await makeTenant(app);
  const admin = await adminOf(tenant);
  const paper = await paperOf(tenant, await kindIn(tenant), 5);
  const blocker = app.orm.em.fork();
  await blocker.begin();
  await blocker.execute('lock table outgoing_message in access exclusive mode');
  const failed: unknown[] = [];
  const dying = remindOfDocuments(app.productOrm.em, (error) => failed.push(error));
  const waiting = `select pid from pg_locks where not granted and relation = 'outgoing_message'::regclass`;
  let stuck: Json[] = [];
  let over = false;
  void dying.finally(() => (over = true));
  while (stuck.length === 0 && !over) stuck = await sql(waiting);
  for (const { pid } of stuck) await sql('select pg_terminate_backend(?)', pid);
  await dying;
  await blocker.rollback();
  expect(failed.length).toBeGreaterThan(0);
  expect(await eventsOf(tenant)).toEqual([]);
  await remind();
  expect(await eventsOf(tenant)).toEqual([[paper.id, 7]]);
  expect(await mailsTo(admin.email!)).toHaveLength(1);
});

test('each administrator gets it in their language; without administrators, those of the company above do', async () => {
  const parent = await makeTenant(app);
  const [french, spanish] = [await adminOf(parent, { preferences: { language: 'fr-ca' } }), await adminOf(parent)];
  await sql(`update company set language = 'fr' where id = ?`, parent.company.id);
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company), language: 'es' } });
  const gone = await adminOf(child, { discardedAt: new Date() });
  await paperOf(child, await kindIn(child, { name: 'Seguro' }), 3, `/accounts/${child.vendor.id}`);
  await remind();
  expect((await mailsTo(french.email!)).map(({ subject, headers }) => [subject, headers['content-language']])).toEqual([
    [expect.stringMatching(/^Seguro de Vendor échoit le \d+ \S+ 20\d\d$/), 'fr-ca'],
  ]);
  expect((await mailsTo(spanish.email!)).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Seguro de Vendor vence el \d+ de \w+ de 20\d\d$/),
  ]);
  expect(await mailsTo(gone.email!)).toEqual([]);
});

test('no reminder is sent for documents that are renewed, discarded, of a discarded type or of a discarded owner', async () => {
  const tenant = await makeTenant(app);
  const [kind, dropped] = [await kindIn(tenant), await kindIn(tenant)];
  await paperOf(tenant, kind, 5);
  const newer = await paperOf(tenant, kind, 300);
  await paperOf(tenant, dropped, 5);
  await tenant.must('DELETE', tenant.path(`/compliance_document_types/${dropped.id}`));
  const other = (await tenant.person({ roles: ['driver'] })).user;
  await paperOf(tenant, kind, 5, `/users/${other.id}`);
  await sql('update app_user set discarded_at = now() where id = ?', other.id);
  const taken = await paperOf(tenant, kind, 5, `/accounts/${tenant.vendor.id}`);
  await tenant.must('DELETE', tenant.path(`/accounts/${tenant.vendor.id}/compliance_documents/${taken.id}`));
  await remind();
  expect(await eventsOf(tenant)).toEqual([]);
  await pass(tenant, 295);
  await remind();
  expect(await eventsOf(tenant)).toEqual([[newer.id, 7]]);
});

test('nobody is reminded of a driver or truck that is not shared with them any more', async () => {
  const [owner, hirer] = await makePair(app);
  const admin = await adminOf(hirer);
  const kind = await kindIn(hirer);
  const driver = { receiver_company_id: hirer.company.id, company_shareable_id: owner.driver.id, company_shareable_type: 'User' };
  const shares = [await mustShare(owner, driver), await mustShare(owner, truckOf(owner, hirer))];
  const lent = [
    await paperOf(hirer, kind, 20, `/users/${owner.driver.id}`),
    await paperOf(hirer, kind, 20, `/equipment/${owner.truck.id}`),
  ];
  await remind();
  expect((await eventsOf(hirer)).sort()).toEqual(lent.map(({ id }) => [id, 30]).sort());
  await owner.must('DELETE', owner.path(`/company_shares/${shares[0].id}`));
  await owner.must('PATCH', owner.path(`/company_shares/${shares[1].id}`), { expires_at: new Date(Date.now() - DAY).toISOString() });
  await owner.must('PATCH', `/v1/equipment/${owner.truck.id}`, { name: 'Renamed since' });
  await pass(hirer, 10);
  await remind();
  expect(await eventsOf(hirer)).toHaveLength(2);
  expect(JSON.stringify(await mailsTo(admin.email!))).not.toContain('Renamed since');
  // Shared anew, they are reminded of it again.
  await mustShare(owner, driver);
  await remind();
  expect((await eventsOf(hirer)).filter(([, days]) => days === 14)).toEqual([[lent[0].id, 14]]);
});

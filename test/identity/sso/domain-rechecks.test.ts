import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { recheckDomains } from '../../../src/identity/sso/domains/recheck-domains.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type NameServer, startNameServer } from './name-server.ts';

let app: TestApp;
let names: NameServer;
let tenant: Tenant;
/** The operator of the platform, so that the company has the administrators that a test gives it. */
let operator: string;
let domain: string;
let record: string;
let id: string;
let made = 0;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ deliveries: true });
  app.configure({ ssoDomainProof: true, dnsServers: [names.address] });
  operator = (await (await makeTenant(app)).person({ roles: ['platform_admin'] })).token;
});
afterAll(async () => {
  app.configure({ dnsServers: [] });
  await app.close();
  await names.close();
});
beforeEach(async () => {
  // Domains of the tests before are nobody's business.
  await app.orm.em.execute('update sso_domain set checked_at = null');
  domain = `checked${++made}.example`;
  tenant = await makeTenant(app);
  forgetViewers(app.application);
  ({ id, verification_record: record } = await begin());
  names.texts.set(domain, [record]);
  await tenant.must('PUT', `/v1/sso_connections/${id}/verify_domains`, undefined, operator);
  names.asked.length = 0;
});

const begin = () =>
  tenant.must(
    'POST',
    tenant.path('/sso_connections'),
    { kind: 'oidc', display_name: 'Gravel', domains: [domain], issuer: 'https://idp.example', client_id: 'haulgate' },
    operator,
  );
const recheck = () => recheckDomains(app.productOrm.em, fails);
const fails = (error: unknown) => {
  throw error;
};
const proven = async (): Promise<string[]> => (await tenant.must('GET', `/v1/sso_connections/${id}`)).proven_domains;
const leads = async () => (await app.http('POST', '/v1/sso_connections', { body: { email: `ada@${domain}` } })).body.data.length;
/** As if so many days had passed. */
const later = (days: number) =>
  app.orm.em.execute(
    "update sso_domain set checked_at = checked_at - ? * interval '1 day', missing_since = missing_since - ? * interval '1 day'",
    [days, days],
  );
const mailsTo = async (email: string) => (await app.emails()).mails.filter(({ to }) => to === email);

test('the record of a proven domain is looked up once a day', async () => {
  await recheck();
  expect(names.asked).toEqual([]);
  await later(2);
  const given = await Promise.all([recheck(), recheck()]);
  expect([given.flat(), names.asked.filter((name) => name === domain)]).toEqual([[], [domain]]);
  expect([await proven(), await leads()]).toEqual([[domain], 1]);
});

test('administrators get a mail about a missing record, and after a week the domain is no longer proven', async () => {
  const { user } = await tenant.person({ roles: ['company_admin'] });
  const { user: other } = await tenant.person({ roles: ['dispatcher'] });
  names.texts.delete(domain);
  for (const days of [2, 2, 2]) {
    await later(days);
    expect(await recheck()).toEqual([]);
  }
  expect([await proven(), await leads()]).toEqual([[domain], 1]);
  const [mail, ...more] = await mailsTo(user.email!);
  expect([mail!.subject, mail!.text.includes(record), more]).toEqual([`${domain} no longer has your Haulgate record`, true, []]);
  expect(await mailsTo(other.email!)).toEqual([]);
  await later(4);
  expect(await recheck()).toEqual([domain]);
  expect([await proven(), await leads()]).toEqual([[], 0]);
  const rows = await app.orm.em.execute<object[]>(
    "select created_by_name, object_changes from audit_entry where company_id = ? and subject_id = ? and created_by_type = 'System'",
    [tenant.company.id, id],
  );
  expect(rows).toEqual([{ created_by_name: 'System', object_changes: { proven_domains: [[domain], []] } }]);
  // It is proven anew as the first time.
  names.texts.set(domain, [record]);
  await tenant.must('PUT', `/v1/sso_connections/${id}/verify_domains`, undefined, operator);
  expect(await leads()).toBe(1);
});

test('in a company without administrators, those above get the mail, in the language of the company', async () => {
  const parent = await makeTenant(app);
  const { user } = await parent.person({ roles: ['company_admin'] });
  await app.orm.em.execute("update company set parent_company_id = ?, language = 'es' where id = ?", [
    parent.company.id,
    tenant.company.id,
  ]);
  names.texts.delete(domain);
  await later(2);
  await recheck();
  expect((await mailsTo(user.email!)).map(({ headers }) => headers['content-language'])).toEqual(['es-us']);
});

test('a record that comes back is treated as if it had never been missing', async () => {
  names.texts.set(domain, ['haulgate-verification=somebody-else']);
  await later(2);
  await recheck();
  names.texts.set(domain, [record]);
  await later(6);
  await recheck();
  names.texts.delete(domain);
  await later(2);
  expect(await recheck()).toEqual([]);
  expect(await proven()).toEqual([domain]);
});

test('name servers that do not answer change nothing', async () => {
  names.texts.set(domain, 'refuse');
  for (let day = 0; day < 5; day++) {
    await later(9);
    expect(await recheck()).toEqual([]);
  }
  expect([await proven(), await leads()]).toEqual([[domain], 1]);
});

test('a domain that was accepted without a proof is not looked up', async () => {
  app.configure({ ssoDomainProof: false });
  domain = `unproven${made}.example`;
  const { id: other } = await begin();
  expect(await recheck()).toEqual([]);
  app.configure({ ssoDomainProof: true });
  await later(30);
  await recheck();
  expect(names.asked).not.toContain(domain);
  expect((await tenant.must('GET', `/v1/sso_connections/${other}`)).proven_domains).toEqual([domain]);
});

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type NameServer, startNameServer } from './name-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let names: NameServer;
/** The company whose domain it is, and somebody who would like to have it. */
let owner: Tenant;
let thief: Tenant;
let domain: string;
let made = 0;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp();
  app.configure({ ssoDomainProof: true, dnsServers: [names.address] });
});
afterAll(async () => {
  app.configure({ dnsServers: [] });
  await app.close();
  await names.close();
});
beforeEach(async () => {
  domain = `gravel${++made}.example`;
  [owner, thief] = [await makeTenant(app), await makeTenant(app)];
});

const begin = async (tenant: Tenant, domains = [domain]): Promise<Json> => {
  const body = { kind: 'oidc', display_name: tenant.company.legalName, domains, issuer: 'https://idp.example', client_id: 'haulgate' };
  return tenant.must('POST', tenant.path('/sso_connections'), body, await tenant.administrator());
};
const verify = async (tenant: Tenant, id: string) =>
  tenant.http('PUT', `/v1/sso_connections/${id}/verify_domains`, undefined, await tenant.administrator());
const leadsTo = async (name = domain): Promise<string[]> =>
  (await app.http('POST', '/v1/sso_connections', { body: { email: `ada@${name}` } })).body.data.map(
    (one: { display_name: string }) => one.display_name,
  );
const problems = ({ status, body }: { status: number; body: Json }) => [
  status,
  ...body.error.errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`),
];

test('a domain leads to a connection once it has the TXT record of the company', async () => {
  const { id, ...reported } = await begin(owner);
  expect(reported).toMatchObject({ ready: true, domains: [domain], proven_domains: [] });
  expect(reported.verification_record).toMatch(/^haulgate-verification=[\da-f]{64}$/);
  expect(await leadsTo()).toEqual([]);
  const missing = `domains.0 ${domain} has no TXT record ${reported.verification_record}; new records may take a while to be seen everywhere`;
  expect(problems(await verify(owner, id))).toEqual([422, missing]);
  names.texts.set(domain, ['v=spf1 -all', `x${reported.verification_record}`, 'haulgate-verification=']);
  expect(problems(await verify(owner, id))).toEqual([422, missing]);

  names.texts.set(domain, [`v=spf1 ${'a '.repeat(200)}-all`, reported.verification_record]);
  expect(await verify(owner, id)).toMatchObject({ status: 200, body: { data: { proven_domains: [domain] } } });
  expect(await leadsTo()).toEqual([owner.company.legalName]);
  expect(await leadsTo(domain.toUpperCase())).toEqual([owner.company.legalName]);
  // A proven domain is not checked again, even if the record is removed.
  names.texts.delete(domain);
  names.asked.length = 0;
  expect((await verify(owner, id)).status).toBe(200);
  expect(names.asked).toEqual([]);
});

test('nobody captures another company’s people, neither by naming their domain first nor with their own record', async () => {
  const theirs = await begin(thief);
  const ours = await begin(owner);
  names.texts.set(domain, [ours.verification_record]);
  expect((await verify(thief, theirs.id)).status).toBe(422);
  expect(await leadsTo()).toEqual([]);
  expect((await verify(owner, ours.id)).status).toBe(200);
  expect(await leadsTo()).toEqual([owner.company.legalName]);
  expect(theirs.verification_record).not.toBe(ours.verification_record);
  expect((await verify(thief, ours.id)).status).toBe(404);
});

test('a company that proves a domain takes it from an unproven connection, whose company sees that in its audit log', async () => {
  app.configure({ ssoDomainProof: false });
  const old = await begin(thief);
  app.configure({ ssoDomainProof: true });
  expect([old.proven_domains, await leadsTo()]).toEqual([[domain], [thief.company.legalName]]);
  const { id, verification_record: record } = await begin(owner);
  expect(await leadsTo()).toEqual([thief.company.legalName]);
  names.texts.set(domain, [record]);
  expect((await verify(owner, id)).status).toBe(200);
  expect(await leadsTo()).toEqual([owner.company.legalName]);
  expect((await thief.must('GET', `/v1/sso_connections/${old.id}`)).proven_domains).toEqual([]);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ object_changes: object }[]>('select object_changes from audit_entry where company_id = ? and subject_id = ? and event = ?', [
      thief.company.id,
      old.id,
      'update',
    ]);
  expect(rows).toEqual([{ object_changes: { proven_domains: [[domain], []] } }]);
});

test('several domains are proven one by one, with one record for all connections of the company', async () => {
  const [second, third] = [`b.${domain}`, `c.${domain}`];
  const { id, verification_record: record } = await begin(owner, [domain, second, third]);
  names.texts.set(second, [record]);
  names.texts.set(third, 'refuse');
  expect((await verify(owner, id)).body.data.proven_domains).toEqual([second]);
  expect(problems(await verify(owner, id))).toEqual([
    422,
    `domains.0 ${domain} has no TXT record ${record}; new records may take a while to be seen everywhere`,
    `domains.2 the name servers of ${third} did not answer; try again later`,
  ]);
  // A domain that is taken out is proven no longer.
  const admin = await owner.administrator();
  const change = (domains: string[]) => owner.must('PATCH', `/v1/sso_connections/${id}`, { domains }, admin);
  expect((await change([domain])).proven_domains).toEqual([]);
  expect((await change([domain, second])).proven_domains).toEqual([]);
  expect(await leadsTo(second)).toEqual([]);
  expect((await begin(owner, [second])).verification_record).toBe(record);
});

test('of two concurrent proofs of a domain, one succeeds', async () => {
  const connections = await Promise.all([owner, thief].map(async (tenant) => ({ tenant, ...(await begin(tenant)) })));
  names.texts.set(
    domain,
    connections.map(({ verification_record }) => verification_record),
  );
  const answers = await Promise.all(connections.map(({ tenant, id }) => verify(tenant, id)));
  expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 422)).toEqual([]);
  expect(await leadsTo()).toHaveLength(1);
});

test('only people who manage the company’s providers may verify, over GraphQL likewise', async () => {
  const { id, verification_record: record } = await begin(owner);
  names.texts.set(domain, [record]);
  names.asked.length = 0;
  const query = `mutation { verifySsoDomains(id: "${id}") { provenDomains } }`;
  const { token } = await owner.person({ roles: ['dispatcher'] });
  expect((await owner.gql(query, {}, token)).errors[0].extensions.code).toBe('forbidden');
  expect(names.asked).toEqual([]);
  expect((await owner.gql(query, {}, await owner.administrator())).data).toEqual({ verifySsoDomains: { provenDomains: [domain] } });
});

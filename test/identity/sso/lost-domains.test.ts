import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type NameServer, startNameServer } from './name-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let names: NameServer;
/** The company whose domain it was, and the one that proves that it is theirs now. */
let loser: Tenant;
let winner: Tenant;
let domain: string;
let made = 0;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ deliveries: true });
  app.configure({ ssoDomainProof: true, dnsServers: [names.address] });
});
afterAll(async () => {
  app.configure({ dnsServers: [] });
  await app.close();
  await names.close();
});
beforeEach(async () => {
  domain = `lost${++made}.example`;
  [loser, winner] = [await makeTenant(app), await makeTenant(app)];
});

const begin = async (tenant: Tenant, domains: string[]): Promise<Json> => {
  const body = { kind: 'oidc', display_name: 'Okta', domains, issuer: 'https://idp.example', client_id: 'haulgate' };
  const connection = await tenant.must('POST', tenant.path('/sso_connections'), body, await tenant.administrator());
  for (const one of domains) names.texts.set(one, [...(names.texts.get(one) ?? []), connection.verification_record]);
  return connection;
};
const verify = async (tenant: Tenant, id: string) =>
  tenant.must('PUT', `/v1/sso_connections/${id}/verify_domains`, undefined, await tenant.administrator());
const changesOf = async (tenant: Tenant, id: string) =>
  (
    await app.orm.em
      .getConnection()
      .execute<Json[]>("select object_changes from audit_entry where company_id = ? and subject_id = ? and event = 'update' order by id", [
        tenant.company.id,
        id,
      ])
  ).map(({ object_changes }) => object_changes.proven_domains);

test('all administrators of a company get a mail when another one proves their domain, and both have it in the audit log', async () => {
  const other = `b.${domain}`;
  const old = await begin(loser, [domain, other]);
  await verify(loser, old.id);
  const { user: second } = await loser.person({ roles: ['company_admin'], preferences: { language: 'fr-ca' } });
  const { user: third } = await loser.person({ roles: ['company_admin'], preferences: { language: 'es-us' } });
  const { user: dispatcher } = await loser.person({ roles: ['dispatcher'] });
  const connection = await begin(winner, [domain]);
  const before = (await app.emails()).mails.length;
  await verify(winner, connection.id);
  const mails = (await app.emails()).mails.slice(before);
  const lost = mails.filter(({ text }) => text.includes(loser.company.legalName));
  expect(lost.map(({ subject }) => subject).sort()).toEqual([
    `Okta ne connecte plus les personnes de ${domain}`,
    `Okta no longer signs in people of ${domain}`,
    `Okta ya no da acceso a las personas de ${domain}`,
  ]);
  expect(lost.map(({ to }) => to)).toEqual(expect.arrayContaining([second.email, third.email]));
  expect(mails.map(({ to }) => to)).not.toContain(dispatcher.email);
  for (const { text } of lost) {
    expect(text).not.toContain(other);
    // The name of the new owner is not theirs to read.
    expect(text).not.toContain(winner.company.legalName);
  }
  expect(await changesOf(loser, old.id)).toEqual([
    [[], [domain, other]],
    [[domain, other], [other]],
  ]);
  expect(await changesOf(winner, connection.id)).toEqual([[[], [domain]]]);
});

test('a company that proves a domain for another of its connections gets no such mail', async () => {
  const old = await begin(loser, [domain]);
  await verify(loser, old.id);
  const connection = await begin(loser, [domain]);
  const before = (await app.emails()).mails.length;
  await verify(loser, connection.id);
  const subjects = (await app.emails()).mails.slice(before).map(({ subject }) => subject);
  expect(subjects).toEqual([`Okta now signs in people of ${loser.company.legalName}`]);
});

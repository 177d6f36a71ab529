import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { type PublishedKey, publishKey } from '../tokens/published-key.ts';
import {
  accountOf,
  admin,
  app,
  at,
  boss,
  type Invited,
  linkOf,
  mailsTo,
  managed,
  NOTHING,
  nextNumber,
  openScene,
  PASSWORD,
  post,
  run,
  signUp,
  statuses,
  tenant,
} from './scene.ts';

openScene();

const ISSUER = 'https://id.example.com/first';
let key: PublishedKey;
beforeAll(async () => {
  key = await publishKey();
});
afterAll(() => key.stop());

/** Every way of signing in, for the first time in the company. */
const WAYS: [string, (company: Invited) => Promise<number>][] = [
  ['an invitation', async (company) => (await signUp(company)).status],
  [
    'a password',
    async ({ id, owner }) => {
      // Of somebody who chose one when they were of another company.
      const other = await tenant.person({ email: `pw${nextNumber()}@example.com` });
      await run("update company set auth_methods = '{password}' where id = ?", tenant.company.id);
      await post('/v1/auth/forgot_password', { email: other.user.email });
      await post('/v1/auth/reset_password', { password_reset_token: await linkOf(other.user.email!), password: PASSWORD });
      await run('update credential set user_id = ? where user_id = ?', owner.id, other.user.id);
      expect((await run('select first_sign_in_at from company where id = ?', id))[0]).toEqual({ first_sign_in_at: null });
      return (await post('/v1/auth/login', { email: owner.email, password: PASSWORD })).status;
    },
  ],
  [
    'a new password',
    async ({ owner }) => {
      await post('/v1/auth/forgot_password', { email: owner.email });
      return (await post('/v1/auth/reset_password', { password_reset_token: await linkOf(owner.email), password: PASSWORD })).status;
    },
  ],
  [
    'a link',
    async ({ owner }) => {
      await post('/v1/auth/magic_link', { email: owner.email });
      return (await post('/v1/auth/magic_link/login', { magic_links_token: await linkOf(owner.email) })).status;
    },
  ],
  [
    'a code',
    async ({ owner }) => {
      const [{ phone }] = await run('select phone from app_user where id = ?', owner.id);
      const { phone_id } = (await post('/v1/auth/otp_sms', { phone })).body.data;
      const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${phone}`))!;
      return (await post('/v1/auth/otp_sms/login', { phone_id, code: /\b\d{6,8}\b/.exec(text.replace(phone, ''))![0] })).status;
    },
  ],
  [
    'a provider',
    async ({ id, owner }) => {
      const { token } = await (await makeTenant(app)).person({ roles: ['platform_admin'] });
      const domain = `first${nextNumber()}.example`;
      const body = {
        kind: 'oidc',
        display_name: 'Okta',
        domains: [domain],
        issuer: 'https://idp.example',
        client_id: 'h',
      };
      const connection = await tenant.must('POST', `/v1/companies/${id}/sso_connections`, body, token);
      // The address with which a sign-in at the provider ends.
      await run('update app_user set email = ? where id = ?', `owner@${domain}`, owner.id);
      const ticket = createHash('sha256').update('a ticket').digest('base64url');
      await run(
        "insert into sso_ticket (token_hash, connection_id, user_id, email, expires_at) values (?, ?, ?, ?, now() + interval '1 minute')",
        ticket,
        connection.id,
        owner.id,
        `owner@${domain}`,
      );
      return (await post('/v1/auth/sso/login', { sso_token: 'a ticket' })).status;
    },
  ],
  [
    'a program of its own',
    async ({ id }) => {
      const em = app.orm.em.fork();
      const { client, clientSecret } = makeMachineClient(em, { id } as never, { name: 'Books', permissions: ['edit_order'] });
      await em.flush();
      const headers = {
        Authorization: `Basic ${Buffer.from(`${client.clientId}:${clientSecret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      };
      return (await app.http('POST', '/v1/auth/token', { body: 'grant_type=client_credentials', headers })).status;
    },
  ],
  [
    "the deployment's own provider",
    async ({ owner }) => {
      const jwksUrl = key.url;
      app.configure({
        externalIssuer: { issuer: ISSUER, jwksUrl, audience: 'haulgate-api', userClaim: 'email', clientClaim: 'client_id' },
      });
      const claims = { iss: ISSUER, aud: 'haulgate-api', sub: 's', email: owner.email, exp: Math.floor(Date.now() / 1000) + 300 };
      const token = await key.sign(claims);
      return (await app.http('GET', '/v1/users/me', { token })).status;
    },
  ],
];

test.each(WAYS)('%s counts as a first sign-in', async (_way, signIn) => {
  const company = await managed();
  expect((await tenant.http('GET', at(company.id, '/users'), undefined, admin)).status).toBe(200);
  expect(await signIn(company)).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  expect(await accountOf(company.id)).toMatchObject({ managed: false });
  expect((await mailsTo(boss.email!)).map(({ subject }) => subject)).toEqual([
    `${tenant.company.legalName} no longer manages ${company.name}`,
  ]);
});

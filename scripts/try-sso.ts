import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

/**
 * An OpenID provider to try single sign-on with: makes itself known to the demo company of a running product, and signs in whoever
 * says who they are. `npm run try:sso [-- --demo .data/demo.json]`; the product needs `HAULGATE_SSO_PRIVATE_HOSTS=on`.
 */
const { values } = parseArgs({ options: { demo: { type: 'string', default: '.data/demo.json' } } });
const demo = JSON.parse(readFileSync(values.demo, 'utf8')) as {
  base_url: string;
  company_id: string;
  client_id: string;
  client_secret: string;
  users: { email: string }[];
};
const clientSecret = randomBytes(24).toString('base64url');

const server = createServer((req, res) => answer(req, res));
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const connection = await connect();
const provider = new Provider(issuer, {
  clients: [{ client_id: 'haulgate', client_secret: clientSecret, redirect_uris: [connection.redirect_uri] }],
  cookies: { keys: [randomBytes(24).toString('base64url')] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, { uid }) => `/who/${uid}` },
  findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, email: id, email_verified: true }) }),
  async loadExistingGrant(ctx) {
    const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client!.clientId, accountId: ctx.oidc.session!.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});
process.stdout.write(`
  ${issuer} signs in people of ${connection.domains.join(', ')}.
  Open ${demo.base_url}/console, enter ${demo.users[0]?.email} and choose "Use my company's sign-in".
  Ctrl-C removes the connection.

`);
process.once('SIGINT', async () => {
  await call('DELETE', `/v1/sso_connections/${connection.id}`);
  server.close().closeAllConnections();
});

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!req.url?.startsWith('/who/')) return provider.callback()(req, res);
  if (req.method === 'POST') {
    let body = '';
    for await (const part of req) body += part;
    const accountId = new URLSearchParams(body).get('email') ?? '';
    return provider.interactionFinished(req, res, { login: { accountId } });
  }
  const { params } = await provider.interactionDetails(req, res);
  const hint = String(params.login_hint ?? '').replace(/[^\w@.+-]/g, '');
  res
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .end(`<form method="post"><label>Who are you? <input name="email" value="${hint}"></label> <button>It is me</button></form>`);
}

async function connect(): Promise<{ id: string; redirect_uri: string; domains: string[] }> {
  const domains = [...new Set(demo.users.map(({ email }) => email.split('@')[1]!))];
  return call('POST', `/v1/companies/${demo.company_id}/sso_connections`, {
    kind: 'oidc',
    display_name: 'Local provider',
    domains,
    issuer,
    client_id: 'haulgate',
    client_secret: clientSecret,
  });
}

async function call(method: string, path: string, body?: object) {
  const basic = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
  const token = await fetch(`${demo.base_url}/v1/auth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const response = await fetch(demo.base_url + path, {
    method,
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} -> ${response.status} ${text}`);
  return text && JSON.parse(text).data;
}

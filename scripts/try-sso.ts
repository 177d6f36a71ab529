import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

/**
 * An OpenID provider to try single sign-on with. It registers itself with the demo company of a running product, and signs in everybody
 * under the address they enter. `npm run try:sso [-- --demo .data/demo.json]`; the product must run with `HAULGATE_SSO_PRIVATE_HOSTS=on`.
 */
const { values } = parseArgs({ options: { demo: { type: 'string', default: '.data/demo.json' } } });
interface Demo {
  base_url: string;
  company_id: string;
  users: { email: string; password: string; role: string }[];
}
interface Connection {
  id: string;
  display_name: string;
  redirect_uri: string;
  domains: string[];
}
const NAME = 'Local provider';
const clientSecret = randomBytes(24).toString('base64url');

let demo: Demo;
let provider: Provider;
const server = createServer((req, res) => answer(req, res));
const connecting = begin();
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // npm sends each Ctrl-C twice.
    if (!ending) void end();
    ending = true;
  });
await connecting.catch(fail);

async function begin(): Promise<Connection> {
  demo = JSON.parse(readFileSync(values.demo, 'utf8')) as Demo;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await connect(issuer);
  provider = new Provider(issuer, {
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
  return connection;
}

/** Removes the connection, even if it is just being created, and stops. */
async function end(): Promise<never> {
  try {
    await call('DELETE', `/v1/sso_connections/${(await connecting).id}`);
  } catch (error) {
    fail(error);
  }
  process.exit(0);
}

/** Ends with the error in one line. */
function fail(error: unknown): never {
  const { message, cause } = error as Error;
  process.stderr.write(`${cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message}\n`);
  process.exit(1);
}

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

async function connect(issuer: string): Promise<Connection> {
  // A run that was killed left its connection behind, and a domain leads to one connection only.
  const all: Connection[] = await call('GET', `/v1/companies/${demo.company_id}/sso_connections`);
  for (const { id, display_name } of all) if (display_name === NAME) await call('DELETE', `/v1/sso_connections/${id}`);
  const domains = [...new Set(demo.users.map(({ email }) => email.split('@')[1]!))];
  return call('POST', `/v1/companies/${demo.company_id}/sso_connections`, {
    kind: 'oidc',
    display_name: NAME,
    domains,
    issuer,
    client_id: 'haulgate',
    client_secret: clientSecret,
  });
}

async function call(method: string, path: string, body?: object) {
  // Machine clients may not change identity providers.
  const { email, password } = demo.users.find(({ role }) => role === 'company_admin')!;
  const { session_jwt: session } = await send('POST', '/v1/auth/login', { email, password });
  return send(method, path, body, session);
}

async function send(method: string, path: string, body?: object, token?: string) {
  const response = await fetch(demo.base_url + path, {
    method,
    headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} -> ${response.status} ${text}`);
  return text && JSON.parse(text).data;
}

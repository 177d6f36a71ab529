import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider';
import type { Tenant } from '../../helpers/tenant.ts';

/** The claims of the provider about a person who signs in. */
export interface Someone {
  sub?: string;
  email?: string;
  email_verified?: unknown;
}

/** A real OpenID provider on a free port, which signs everybody in at once as `someone`. */
export interface OpenIdProvider {
  issuer: string;
  someone: Someone;
  /** Claims are in the ID token instead of at the userinfo endpoint. */
  putInToken: boolean;
  /** Changes ID tokens on their way out, signed with the provider's key again. */
  tamper?: (claims: Record<string, unknown>) => Record<string, unknown> | { header: object; claims: Record<string, unknown>; key?: JWK };
  /** Waited for before a request, such as `POST /token`, is answered. */
  meanwhile?: (request: string) => Promise<unknown>;
  /** Requests so far, as `POST /token`. */
  asked: string[];
  /** The next tokens are signed with a new key; the old one is no longer published. */
  rotate(): Promise<void>;
  currentKey(): JWK;
  /** Lets a client in, whose redirect URIs are these. */
  register(redirectUri: string, more?: object): Promise<{ client_id: string; client_secret: string }>;
  close(): Promise<void>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let handle: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => res.writeHead(503).end();
  const server = createServer((req, res) => handle(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients: Record<string, unknown>[] = [];
  const adapter = memory();
  let key = await newKey();

  const remake = () => {
    const provider = new Provider(issuer, { ...configurationOf(self, key), clients: clients as never, adapter });
    provider.on('server_error', (_ctx, error) => console.error(error));
    const answer = provider.callback();
    handle = async (req, res) => {
      const request = `${req.method} ${req.url!.split('?')[0]}`;
      self.asked.push(request);
      await self.meanwhile?.(request);
      const interaction = /^\/interaction\//.test(req.url!);
      if (interaction) return provider.interactionFinished(req, res, { login: { accountId: self.someone.sub ?? 'u1' } });
      if (req.url === '/token' && self.tamper) changeAnswer(res, (body) => tampered(body, self.tamper!, key));
      return answer(req, res);
    };
  };
  const self: OpenIdProvider = {
    issuer,
    someone: {},
    putInToken: false,
    asked: [],
    async rotate() {
      key = await newKey();
      remake();
    },
    currentKey: () => key,
    async register(redirectUri, more = {}) {
      const client = {
        client_id: `client${clients.length}`,
        client_secret: 'a secret + with % signs: 1234567890',
        redirect_uris: [redirectUri],
      };
      clients.push({ ...client, ...more });
      remake();
      return client;
    },
    close: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
  };
  remake();
  return self;
}

/** Our API as the provider's clients call it. */
export const API = 'https://api.haulgate.test';

function configurationOf(self: OpenIdProvider, key: JWK): Configuration {
  return {
    jwks: { keys: [key] as never },
    cookies: { keys: ['test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !self.putInToken,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      // Access tokens are opaque unless they are asked for our API.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: () => ({ scope: 'edit_order', audience: 'haulgate-api', accessTokenFormat: 'jwt' }),
        useGrantedResource: () => true,
      },
    },
    extraTokenClaims: (_ctx, token) => ('accountId' in token && token.accountId ? { email: self.someone.email } : undefined),
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, ClientCredentials: 600, IdToken: 600 },
    async findAccount(_ctx, id) {
      const { sub = id, ...claims } = self.someone;
      return { accountId: id, claims: async () => ({ sub, ...claims }) as never };
    },
    async loadExistingGrant(ctx) {
      const known = ctx.oidc.session!.grantIdFor(ctx.oidc.client!.clientId);
      if (known) return ctx.oidc.provider.Grant.find(known);
      const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client!.clientId, accountId: ctx.oidc.session!.accountId });
      grant.addOIDCScope('openid email');
      grant.addResourceScope(API, 'edit_order');
      await grant.save();
      return grant;
    },
  };
}

/** Keeps what the provider knows while its clients and keys change. */
function memory(): (name: string) => Adapter {
  const rows = new Map<string, AdapterPayload>();
  const by = (field: 'uid' | 'userCode', value: string) => [...rows.values()].find((row) => row[field] === value);
  return (name) => ({
    upsert: async (id, payload) => void rows.set(`${name}:${id}`, payload),
    find: async (id) => rows.get(`${name}:${id}`),
    findByUid: async (uid) => by('uid', uid),
    findByUserCode: async (code) => by('userCode', code),
    destroy: async (id) => void rows.delete(`${name}:${id}`),
    consume: async (id) => void Object.assign(rows.get(`${name}:${id}`)!, { consumed: Math.floor(Date.now() / 1000) }),
    async revokeByGrantId(grantId) {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
    },
  });
}

let made = 0;
async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: `key${++made}`, use: 'sig', alg: 'RS256' };
}

/** Buffers an answer and sends what `change` makes of it. */
function changeAnswer(res: ServerResponse, change: (body: string) => Promise<string>): void {
  const end = res.end.bind(res);
  const parts: Buffer[] = [];
  res.write = ((part: string | Buffer) => parts.push(Buffer.from(part)) > 0) as never;
  res.end = ((part?: string | Buffer) => {
    if (part) parts.push(Buffer.from(part));
    change(Buffer.concat(parts).toString()).then((body) => {
      res.setHeader('content-length', Buffer.byteLength(body));
      end(body);
    });
    return res;
  }) as never;
}

async function tampered(body: string, tamper: NonNullable<OpenIdProvider['tamper']>, key: JWK): Promise<string> {
  const answer = JSON.parse(body);
  if (!answer.id_token) return body;
  const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1], 'base64url').toString());
  const changed = tamper(claims) as { header?: object; claims?: Record<string, unknown>; key?: JWK };
  const [header, payload, signer] =
    changed.header && changed.claims ? [changed.header, changed.claims, changed.key ?? key] : [{}, changed, key];
  const head = { alg: 'RS256', kid: key.kid, ...header } as { alg: string };
  if (head.alg === 'none') {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return JSON.stringify({ ...answer, id_token: `${part(head)}.${part(payload)}.` });
  }
  const id_token = await new SignJWT(payload as never).setProtectedHeader(head).sign(await importJWK(signer, head.alg));
  return JSON.stringify({ ...answer, id_token });
}

/** Has a company sign in by a provider, for the addresses of a domain. @param more how the client registers */
export async function connectTo(provider: OpenIdProvider, of: Tenant, name: string, more: object = {}) {
  const body = { kind: 'oidc', display_name: 'Gravel', domains: [name], issuer: provider.issuer, client_id: 'later' };
  const admin = await of.administrator();
  const made = await of.must('POST', of.path('/sso_connections'), body, admin);
  const client = await provider.register(made.redirect_uri, more);
  const { client_id, client_secret } = client;
  const facts = { client_id, ...('token_endpoint_auth_method' in more ? {} : { client_secret }) };
  return of.must('PATCH', `/v1/sso_connections/${made.id}`, facts, admin);
}

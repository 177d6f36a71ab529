import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Product {
  access: {
    base_url: string;
    client_id: string;
    client_secret: string;
    company_id: string;
    users: { email: string; password: string; role: string }[];
  };
  /** Its folder, which contains the mails and texts it sent. */
  data: string;
  stop(): Promise<void>;
}

/** Returns the `data` of a call that must succeed. */
export async function call<T>(url: string, token: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : (JSON.parse(text) as { data: T }).data) as T;
}

/** Returns the `data` of a GraphQL operation that must succeed. */
export async function callGraphQL<T>(url: string, token: string, query: string, variables: object = {}): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

export async function tokenOf(url: string, id: string, secret: string): Promise<string> {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Starts the product itself, on a folder of its own. @param env more of the environment */
export async function boot(env: Record<string, string> = {}): Promise<Product> {
  const data = mkdtempSync(join(tmpdir(), 'haulgate-real-'));
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: { ...process.env, PORT: '0', HAULGATE_DATA: data, LOG_LEVEL: 'warn', HAULGATE_REQUESTS_PER_MINUTE: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  await new Promise<void>((done, fail) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.toString().includes('Haulgate is ready') && done());
    child.once('exit', (code) => fail(new Error(`the product stopped with ${code}; run npm run build first?`)));
  });
  return {
    access: JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')),
    data,
    async stop() {
      child.kill('SIGINT');
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Signs in as the demo company's administrator, or as somebody with another role there. */
export async function signIn({ access }: Product, as = 'company_admin'): Promise<{ url: string; token: string; companyId: string }> {
  const { email, password } = access.users.find(({ role }) => role === as)!;
  const { session_jwt: token } = await call<{ session_jwt: string }>(access.base_url, '', 'POST', '/v1/auth/login', { email, password });
  return { url: access.base_url, token, companyId: access.company_id };
}

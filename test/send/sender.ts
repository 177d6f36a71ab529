import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS, type Permission } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import type { Tenant } from '../helpers/tenant.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when standard error has said it. */
  said(text: string | RegExp): Promise<void>;
}

/** A machine client of the tenant, and a folder; `haulgate-send` as its own process. */
export interface Sender {
  id: string;
  secret: string;
  folder: string;
  /** Writes a file and returns its path. */
  file(name: string, content: string | Buffer): string;
  start(args: string[], env?: Record<string, string>): Running;
  run(args: string[], env?: Record<string, string>): Promise<Ended>;
  close(): void;
}

const PROGRAM = ['--import', './scripts/typescript.mjs', 'src/send/haulgate-send.ts'];

export async function makeSender(tenant: Tenant, url: string, permissions: readonly Permission[] = PERMISSIONS): Promise<Sender> {
  const em = tenant.app.orm.em.fork();
  const { client, clientSecret: secret } = makeMachineClient(em, em.getReference(Company, tenant.company.id), {
    name: 'Night job',
    permissions,
  });
  await em.flush();
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-send-'));
  const start: Sender['start'] = (args, env = {}) => {
    const access = { HAULGATE_URL: url, HAULGATE_CLIENT_ID: client.clientId, HAULGATE_CLIENT_SECRET: secret };
    const child = spawn(process.execPath, [...PROGRAM, ...args], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.HAULGATE_TEST_COMPILED, ...access, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<Ended>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
    const said = (text: string | RegExp) =>
      new Promise<void>((done, fail) => {
        const look = () => (typeof text === 'string' ? stderr.includes(text) : text.test(stderr)) && done();
        child.stderr.on('data', look);
        void ended.then(() => fail(new Error(`never said ${text}: ${stderr}`)));
        look();
      });
    return { child, ended, said };
  };
  return {
    id: client.clientId,
    secret,
    folder,
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    start,
    run: (args, env) => start(args, env).ended,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An order as senders write it. */
export const order = (key: string, more: object = {}) => ({
  external_id: key,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});
export const many = (n: number) => Array.from({ length: n }, (_, i) => order(`N-${i}`));

/** Keys and states of a tenant's records, in order of receipt. */
export const recordsOf = async (tenant: Tenant) =>
  (
    await tenant.app.orm.em
      .getConnection()
      .execute<{ imported_for: string; state: string }[]>(
        'select imported_for, state from imported_record where company_id = ? order by sequence',
        [tenant.company.id],
      )
  ).map(({ imported_for, state }) => `${imported_for} ${state}`);

/** The act of a proxy on a request: passes it on, answers itself, or passes it on and drops the connection before the answer. */
export type Verdict = 'pass' | 'drop-answer' | { status: number; headers?: Record<string, string>; body?: string };

/** A proxy before the real server, that misbehaves on request. */
export async function startProxy(
  target: string,
  judge: (req: IncomingMessage) => Verdict,
): Promise<{ url: string; close(): Promise<void> }> {
  const pass = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const verdict = judge(req);
    if (typeof verdict === 'object') return void res.writeHead(verdict.status, verdict.headers).end(verdict.body);
    const { host: _, connection: __, 'content-length': ___, ...headers } = req.headers;
    const answer = await fetch(target + req.url, {
      method: req.method,
      headers: headers as Record<string, string>,
      body: req.method === 'GET' ? undefined : Buffer.concat(chunks),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (verdict === 'drop-answer') return void req.socket.destroy();
    const kept = [...answer.headers].filter(([name]) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name));
    res.writeHead(answer.status, Object.fromEntries(kept)).end(body);
  };
  const server: Server = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
  };
}

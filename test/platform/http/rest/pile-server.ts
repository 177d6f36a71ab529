import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';
import express from 'express';
import { messages } from '../../../../src/app/platform.ts';
import type { Context, Viewer } from '../../../../src/platform/context.ts';
import { compressAnswers } from '../../../../src/platform/http/compress.ts';
import { errorHandler, notFound } from '../../../../src/platform/http/final.ts';
import { requestIdOf } from '../../../../src/platform/http/request-id.ts';
import { createRestRouter, type RestOptions } from '../../../../src/platform/http/rest/router.ts';
import { pickLanguage } from '../../../../src/platform/i18n/messages.ts';
import { registerAll } from '../../../../src/platform/registration.ts';
import { DOCUMENTS, pileSchema } from './piles.ts';

// The texts of the platform, which an application would register.
registerAll(messages);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes documents into a new folder, which the end of the test file removes, and answers its path. */
export function documentFolder(documents: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rest-documents-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const COMPANY = '018f0000-0000-7000-8000-0000000000c0';
export const logged: object[] = [];

const viewer: Viewer = {
  type: 'M2MClient',
  id: '018f0000-0000-7000-8000-0000000000a1',
  name: 'Sender',
  companyId: COMPANY,
  companyIds: [COMPANY],
  receivesWork: false,
  roles: [],
  can: () => true,
};

/** Starts the server on a free port. `authorization: Bearer ok` is somebody, everything else nobody. */
export async function openPileServer(options: Partial<RestOptions> & { context?: Partial<Context> } = {}) {
  const app = express();
  app.disable('x-powered-by');
  app.use(compressAnswers);
  app.use(
    createRestRouter({
      schema: pileSchema,
      directory: documentFolder(DOCUMENTS),
      log: { error: (fields) => logged.push(fields) },
      contextFor: async (req) =>
        ({
          requestId: requestIdOf(req),
          language: pickLanguage(req.headers['accept-language']),
          viewer: req.headers.authorization === 'Bearer ok' ? viewer : undefined,
          memo: new Map(),
          ...options.context,
        }) as Context,
      reverseCursor: (cursor) => cursor,
      ...options,
    }),
  );
  app.use(notFound, errorHandler({ error: (fields) => logged.push(fields) }));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies
  body: any;
  bytes: Buffer;
}

/** One request, with a token and JSON by default; a header given as null is left out. */
export function send(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | null> = {},
): Promise<Reply> {
  const bytes = body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all: Record<string, string | null> = {
    authorization: 'Bearer ok',
    ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      port,
      method,
      path,
      headers: Object.fromEntries(Object.entries(all).filter(([, v]) => v !== null)) as Record<string, string>,
    });
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const raw = Buffer.concat(chunks);
        const isJson = raw.length > 0 && !res.headers['content-encoding'];
        resolve({
          status: res.statusCode as number,
          headers: res.headers,
          body: isJson ? JSON.parse(raw.toString()) : undefined,
          bytes: raw,
        });
      });
    });
    req.on('error', reject);
    req.end(bytes);
  });
}

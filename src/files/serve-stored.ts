import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EntityClass } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request, RequestHandler } from 'express';
import { find, viewerOf } from '../platform/authz/authorization.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { asCompanies } from '../platform/database/scope.ts';
import { Missing } from '../platform/errors.ts';
import type { CountRequest } from '../platform/http/rate-limits.ts';
import { SIGNATURE } from '../platform/public-url.ts';
import { fileStorage, storageIsAway } from '../platform/storage/storage.ts';
import { contentDisposition } from './file-name.ts';
import { readSignature } from './file-url.ts';

export interface FileServices {
  em: EntityManager;
  contextFor(req: Request): Promise<Context>;
  count: CountRequest;
}

/** The OpenAPI operation of an endpoint that serves stored bytes by the id in its path, to a token or a signature. */
export function storedFile(fields: { id: string; summary: string; description: string; tag: string }): Record<string, unknown> {
  return {
    operationId: fields.id,
    summary: fields.summary,
    description: fields.description,
    tags: [fields.tag],
    security: [{ bearer: [] }, {}],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: SIGNATURE, in: 'query', description: 'In place of a token, as the URL that leads here has it.', schema: { type: 'string' } },
    ],
    responses: {
      200: { description: 'Success', content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
      401: { $ref: '#/components/responses/Unauthorized' },
      404: { $ref: '#/components/responses/NotFound' },
      503: { $ref: '#/components/responses/ServiceUnavailable' },
    },
  };
}

/** A stored file, and how it is served. */
export interface StoredFile {
  /** Of the bytes in the storage; also what a signature opens. */
  key: string;
  /** The content, if it is in the record and not in the storage. */
  text?: string;
  mimeType: string;
  byteSize: number;
  fileName: string;
}

/** Stored bytes of records, one path for each kind. */
export interface StoredFiles<T> {
  /** In OpenAPI spelling. */
  path: string;
  entity: EntityClass<T>;
  /** Undefined for a record without such bytes. */
  fileOf(record: T): StoredFile | undefined;
  /** True for readers of the record who get them with a token; all of them by default. */
  isFor?(record: T, viewer: Viewer): boolean;
}

/**
 * Serves stored bytes to be saved and never run: to callers with a token who may read the record, and to everybody who has the URL that such
 * a caller got. With a token the signature is not looked at.
 */
export function serveStored<T extends { id: string }>(services: FileServices, files: StoredFiles<T>): RequestHandler {
  return async (req, res, next) => {
    try {
      const signature = req.headers.authorization === undefined ? req.query[SIGNATURE] : undefined;
      const found = await (typeof signature === 'string' ? signedFile(services, files, req, signature) : ownFile(services, files, req));
      const bytes = req.method === 'HEAD' ? undefined : await opened(services.em, found.file);
      res.set({
        'Content-Type': found.file.mimeType,
        'Content-Length': String(found.file.byteSize),
        'Content-Disposition': contentDisposition(found.file.fileName),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        ...found.headers,
      });
      if (!bytes) return void res.end();
      await pipeline(bytes, res);
    } catch (error) {
      // An error after the first bytes were sent can no longer be reported; the client sees it by the missing length.
      if (res.headersSent) res.destroy();
      else next(error);
    }
  };
}

interface Served {
  file: StoredFile;
  headers: Record<string, string>;
}

/** @throws Unauthenticated, Missing */
async function ownFile<T extends { id: string }>(
  { contextFor }: FileServices,
  { entity, fileOf, isFor }: StoredFiles<T>,
  req: Request,
): Promise<Served> {
  const ctx = await contextFor(req);
  const viewer = viewerOf(ctx);
  const record = await find(ctx, entity, String(req.params.id));
  const file = (isFor?.(record, viewer) ?? true) && fileOf(record);
  if (!file) throw new Missing();
  // It belongs to a company and is answered to one viewer: no shared cache may keep it.
  return { file, headers: { 'Cross-Origin-Resource-Policy': 'same-origin', 'Cache-Control': 'private, no-cache' } };
}

/**
 * Whoever got the URL was allowed to read the bytes, so that nobody is asked again. They must still be those of the record.
 * @throws Missing for a signature that is not ours, for something else, or expired
 */
async function signedFile<T extends { id: string }>(
  { em, count }: FileServices,
  { path, entity, fileOf }: StoredFiles<T>,
  req: Request,
  signature: string,
): Promise<Served> {
  const id = String(req.params.id);
  const signed = readSignature(em, path, id, signature);
  // The pictures of a page are many. They must not use up the requests of everybody at the same address.
  await count(req, req.res!, signed && `Signed:${signed.companyId}`);
  if (!signed) throw new Missing();
  const [record] = await asCompanies([signed.companyId], () =>
    em.fork().find(entity, { id } as never, { filters: { tenant: false }, limit: 1 }),
  );
  const file = record && fileOf(record as T);
  if (file?.key !== signed.id) throw new Missing();
  const seconds = Math.floor((signed.expires - Date.now()) / 1000);
  // Pages of other origins show it. The bytes never change, and shared caches must not outlive the URL.
  return { file, headers: { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Cache-Control': `private, max-age=${seconds}, immutable` } };
}

/** @throws Unavailable if the storage does not return the bytes, although the row says that they are there */
async function opened(em: EntityManager, { key, text }: StoredFile): Promise<Readable> {
  if (text !== undefined) return Readable.from([Buffer.from(text)]);
  return fileStorage.of(em).read(key).catch(storageIsAway);
}

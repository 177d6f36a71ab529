import type { RequestHandler } from 'express';

/**
 * An endpoint that is no REST document, because its answer or its body is no JSON envelope: the token exchange of RFC 6749, file
 * bytes, health. `src/plain.ts` lists all of them; each appears in the OpenAPI file by `openapi`.
 */
export interface PlainHandler {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI spelling: `/v1/files/{file-id}`. */
  path: string;
  handler: RequestHandler;
  /** The OpenAPI operation object; left out of the file when undefined. */
  openapi?: Record<string, unknown>;
}

/** The path as Express writes it: `/v1/files/{file-id}` -> `/v1/files/:fileId`. */
export function expressPath(path: string): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => `:${name.replace(/-([a-z])/g, (__, letter: string) => letter.toUpperCase())}`);
}

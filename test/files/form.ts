import { createHash } from 'node:crypto';
import type { Answer, TestApp } from '../helpers/app.ts';

const BOUNDARY = 'haulgate-test-7d2a';

/** A part of a form: a text, or a file with its name. */
export type Part = [field: string, value: string] | [field: string, bytes: Buffer, name: string];

/** Sends a multipart form. */
export function sendForm(
  app: TestApp,
  method: string,
  path: string,
  parts: Part[],
  token: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = [...parts.map(partOf), Buffer.from(`--${BOUNDARY}--\r\n`)];
  return app.http(method, path, {
    token,
    body: new Uint8Array(Buffer.concat(body)),
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  });
}

function partOf([field, value, name]: Part | [string, string | Buffer, string?]): Buffer {
  const file = name === undefined ? '' : `; filename="${name}"\r\nContent-Type: application/octet-stream`;
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"${file}\r\n\r\n`),
    typeof value === 'string' ? Buffer.from(value) : value,
    Buffer.from('\r\n'),
  ]);
}

/** Returns the announcement of a file for `POST /v1/direct_uploads`. */
export const announcement = (bytes: Buffer, filename: string, content_type: string, more: object = {}): object => ({
  filename,
  byte_size: bytes.length,
  checksum: createHash('md5').update(bytes).digest('base64'),
  content_type,
  ...more,
});

/** PUTs bytes where the announcement's answer says, as a browser would: without a token. */
export async function putBytes(direct: { url: string; headers: Record<string, string> }, bytes: Buffer): Promise<number> {
  const response = await fetch(direct.url, { method: 'PUT', headers: direct.headers, body: new Uint8Array(bytes) });
  await response.arrayBuffer();
  return response.status;
}

/** Announces and sends a file. @returns its signed id */
export async function upload(app: TestApp, token: string, bytes: Buffer, filename: string, type: string): Promise<string> {
  const { body } = await app.http('POST', '/v1/direct_uploads', { token, body: announcement(bytes, filename, type) });
  await putBytes(body.data.direct_upload, bytes);
  return body.data.signed_id;
}

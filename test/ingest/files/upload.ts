import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStorage } from '../../../src/platform/storage/storage.ts';
import type { Answer, TestApp } from '../../helpers/app.ts';
import type { Tenant } from '../../helpers/tenant.ts';

/** A form for `POST /ingest/files`; undefined leaves a field out. */
export interface Upload {
  external_id: string | undefined;
  /** A text is sent as a text field. */
  file: Buffer | string | undefined;
  name?: string;
  type?: string;
  file_attachable_type?: string;
  category?: string;
  description?: string;
  /** A field nobody knows. */
  note?: string;
  /** Sends the file before the other fields. */
  fileFirst?: boolean;
  /** Sends the file a second time. */
  twice?: boolean;
}

const BOUNDARY = 'haulgate-test-3f1c';

export async function postFile(app: TestApp, upload: Upload, token: string): Promise<Answer> {
  const { file, name = 'scan', type, fileFirst, twice, file_attachable_type = 'Order', ...texts } = upload;
  const fields = {
    ...texts,
    ...('file_attachable_type' in upload && upload.file_attachable_type === undefined ? {} : { file_attachable_type }),
  };
  const parts: Buffer[] = Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [part(`name="${field}"`, value)]));
  const files =
    file === undefined
      ? []
      : typeof file === 'string'
        ? [part('name="file"', file)]
        : [part(`name="file"; filename="${name.replace(/"/g, '%22')}"`, file, type ?? 'application/octet-stream')];
  if (twice) files.push(...files);
  if (fileFirst) parts.unshift(...files);
  else parts.push(...files);
  const body = [...parts, Buffer.from(`--${BOUNDARY}--\r\n`)];
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  return app.http('POST', '/ingest/files', { token, body: new Uint8Array(Buffer.concat(body)), headers });
}

const part = (disposition: string, value: string | Buffer, type?: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ]);

/** Files that are sent and looked at by the company of the running test. */
export function filing(at: () => { app: TestApp; tenant: Tenant }) {
  const post = (upload: Upload, token = at().tenant.token) => postFile(at().app, upload, token);
  const ofOrder = (order: { id: string }) => at().tenant.must('GET', at().tenant.path(`/orders/${order.id}/file_attachments`));
  const bytesOf = async (file: { file_url: string }, token = at().tenant.token) =>
    fetch(file.file_url, { headers: { Authorization: `Bearer ${token}` } });
  const incoming = () => readdir(join(at().app.folder, 'incoming'));
  const kept = async () => {
    const keys: string[] = [];
    for await (const key of fileStorage.of(at().app.application).keys()) keys.push(key);
    return keys;
  };
  return { post, ofOrder, bytesOf, incoming, kept };
}

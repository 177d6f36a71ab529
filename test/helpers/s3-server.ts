import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3ServerOptions {
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Keys in one page of a list; S3 has a thousand. */
  page?: number;
}

export interface S3Server {
  url: string;
  /** Ends every connection; the server no longer answers. */
  close(): Promise<void>;
}

interface Stored {
  bytes: Buffer;
  type: string;
}

/**
 * A server of one bucket with the part of S3's protocol that the product uses, over HTTP, with the bucket in the path: objects are put,
 * read, deleted and listed in pages (API version 2006-03-01), every request signed (Signature Version 4). Objects are held in memory.
 */
export async function startS3(options: S3ServerOptions): Promise<S3Server> {
  const objects = new Map<string, Stored>();
  const server = createServer((req, res) => {
    answer(req, res, options, objects).catch((error) => {
      // A client that disconnects in the middle of an upload has stored nothing.
      if (error instanceof Refusal) refuse(res, error);
      else res.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

async function answer(req: IncomingMessage, res: ServerResponse, options: S3ServerOptions, objects: Map<string, Stored>): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://s3');
  checkSignature(req, url, options);
  const [, bucket, ...rest] = url.pathname.split('/').map(decodeURIComponent);
  if (bucket !== options.bucket) throw new Refusal(404, 'NoSuchBucket');
  const key = rest.join('/');
  if (key === '') {
    if (req.method !== 'GET' || url.searchParams.get('list-type') !== '2') throw new Refusal(501, 'NotImplemented');
    return list(res, url.searchParams, options, objects);
  }
  if (req.method === 'PUT') {
    const bytes = await bodyOf(req);
    objects.set(key, { bytes, type: req.headers['content-type'] ?? 'binary/octet-stream' });
    res.writeHead(200, { ETag: etag(bytes) }).end();
  } else if (req.method === 'DELETE') {
    objects.delete(key);
    res.writeHead(204).end();
  } else if (req.method === 'GET' || req.method === 'HEAD') {
    const found = objects.get(key);
    if (!found) throw new Refusal(404, 'NoSuchKey');
    res.writeHead(200, { 'Content-Type': found.type, 'Content-Length': found.bytes.length, ETag: etag(found.bytes) });
    res.end(req.method === 'HEAD' ? undefined : found.bytes);
  } else throw new Refusal(405, 'MethodNotAllowed');
}

/** Returns the complete body, with the announced length and the signed digest. */
async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  if (req.headers['content-length'] === undefined) throw new Refusal(411, 'MissingContentLength');
  const parts: Buffer[] = [];
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
  const bytes = Buffer.concat(parts);
  const digest = String(req.headers['x-amz-content-sha256']);
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(bytes)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  return bytes;
}

/** Sends a page of keys in their order; the token of the next one is the last key of this one. */
function list(res: ServerResponse, query: URLSearchParams, { bucket, page = 1_000 }: S3ServerOptions, objects: Map<string, Stored>): void {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const left = [...objects].filter(([key]) => key.startsWith(prefix) && key > after).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = left.slice(0, Math.min(page, Number(query.get('max-keys') ?? page)));
  const more = left.length > shown.length;
  const contents = shown.map(
    ([key, { bytes }]) =>
      `<Contents><Key>${text(key)}</Key><LastModified>${new Date(0).toISOString()}</LastModified><ETag>${text(etag(bytes))}</ETag><Size>${bytes.length}</Size></Contents>`,
  );
  const next = more ? `<NextContinuationToken>${text(shown.at(-1)![0])}</NextContinuationToken>` : '';
  xml(
    res,
    200,
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${text(bucket)}</Name><Prefix>${text(prefix)}</Prefix>` +
      `<KeyCount>${shown.length}</KeyCount><IsTruncated>${more}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

/**
 * Checks the signature of a request (AWS Signature Version 4, in the Authorization header).
 * @throws Refusal 403 for another key, another secret, and a request that was changed on the way
 */
function checkSignature(req: IncomingMessage, url: URL, { region, accessKeyId, secretAccessKey }: S3ServerOptions): void {
  const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
    req.headers.authorization ?? '',
  );
  if (!given) throw new Refusal(403, 'AccessDenied');
  const [, credential = '', names = '', signature = ''] = given;
  const [id, day = '', ...scope] = credential.split('/');
  if (id !== accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId');
  const headers = names.split(';').map((name) => `${name}:${String(req.headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const digest = String(req.headers['x-amz-content-sha256']);
  const request = [req.method, url.pathname, query.join('&'), headers.join(''), names, digest].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', req.headers['x-amz-date'], [day, ...scope].join('/'), sha256(request)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>((from, part) => hmac(from, part), Buffer.from(`AWS4${secretAccessKey}`));
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))) throw new Refusal(403, 'SignatureDoesNotMatch');
}

const refuse = (res: ServerResponse, { status, code }: Refusal): void =>
  xml(res.setHeader('Connection', 'close'), status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

function xml(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
const etag = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;
const encoded = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

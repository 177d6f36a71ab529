import { type Agent, type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { keptOverHttp, keptOverHttps } from './kept-connections.ts';
import { AddressRefused, hostOf, isPrivate, publicLookup } from './public-addresses.ts';

export interface OutgoingOptions {
  /** Also allows addresses of private networks, and http: for providers next to the server, and for tests. */
  allowPrivate: boolean;
  /** Longest a call may take, milliseconds. */
  timeout?: number;
  /** Most bytes of an answer; 1 MB by default. */
  most?: number;
  /** Takes the beginning of a longer answer, instead of refusing it. */
  cut?: boolean;
  /** Names those who may share connections, which are then kept for a while between calls (kept-connections.ts); by default, none is kept. */
  kept?: string;
}

/** The answer is longer than the caller reads. */
export class AnswerTooLong extends Error {}

/** The answer is not one of HTTP to a request of ours. */
class NoAnswer extends Error {}

/** A connection that was kept was closed at its other end as the call was sent. */
class ConnectionLeft extends Error {}

const TIMEOUT = 10_000;
/** Bytes of an answer; configurations and keys of identity providers are far smaller. */
const MOST = 1 << 20;
/** Milliseconds after which a body is sent to a server that does not say whether it wants it (RFC 9110, 10.1.1). */
const UNASKED = 1_000;

/**
 * A `fetch` for addresses that clients of ours chose: https only, never into private networks, whatever a name resolves to at the
 * moment of the call, or at that of the call for which a connection that is kept was opened; redirects are not followed, answers are read up to 1 MB unless
 * `most` says otherwise. A stream is sent as it is read, with the `Content-Length` that the caller gives, and only if the server wants it: one that refuses
 * the call by its head gets none of it.
 */
export function guardedFetch({ allowPrivate, timeout = TIMEOUT, most = MOST, cut = false, kept }: OutgoingOptions): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) throw new AddressRefused(`${url.protocol} is not called`);
    const host = hostOf(url);
    if (!allowPrivate && isIP(host) !== 0 && isPrivate(host)) throw new AddressRefused(`${host} is private`);
    const limit = AbortSignal.timeout(timeout);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const given = new Headers(init.headers);
    const body = init.body instanceof ReadableStream ? streamOf(init.body, given) : await bytesOf(init.body);
    const headers = {
      ...Object.fromEntries(given),
      ...(body instanceof Readable ? { expect: '100-continue' } : body === undefined ? {} : { 'content-length': String(body.length) }),
    };
    const isTls = url.protocol === 'https:';
    // Those that may lead into private networks are other ones than those that may not.
    const sharedBy = `${allowPrivate} ${kept}`;
    const send = (agent: Agent | false): Promise<Response> =>
      new Promise((done, fail) => {
        let answered = false;
        const how = {
          method: init.method ?? 'GET',
          headers,
          signal,
          agent,
          sharedBy,
          ...(allowPrivate ? {} : { lookup: publicLookup(signal) }),
        };
        const call = (isTls ? overHttps : overHttp)(url, how, (answer) => {
          answered = true;
          readAll(answer, most, cut)
            .then((bytes) => toResponse(answer, bytes))
            .then(done, fail)
            // An answer that came before all was sent needs no more of it.
            .finally(() => body instanceof Readable && call.destroy());
        });
        call.once('error', (error: NodeJS.ErrnoException) =>
          fail(call.reusedSocket && !answered && LEFT.has(error.code ?? '') ? new ConnectionLeft() : error),
        );
        call.once('upgrade', (answer, socket) => {
          socket.destroy();
          fail(new NoAnswer(`it answers ${answer.statusCode} and speaks another protocol`));
        });
        // Whatever else ends a call before there is an answer.
        call.once('close', () => answered || fail(new NoAnswer('the connection was closed')));
        if (body instanceof Readable) sendWanted(call, body, fail);
        else call.end(body);
      });
    if (kept === undefined || body instanceof Readable) return send(false);
    return send(isTls ? keptOverHttps : keptOverHttp).catch((error) => {
      if (error instanceof ConnectionLeft) return send(false);
      throw error;
    });
  };
}

/** Errors of a connection that the other end has closed. */
const LEFT = new Set(['ECONNRESET', 'EPIPE']);

/** @throws Error without a length: servers of files take no body that has none */
function streamOf(body: ReadableStream, headers: Headers): Readable {
  if (!headers.has('content-length')) throw new Error('a stream is sent with its Content-Length');
  return Readable.fromWeb(body as WebStream);
}

/** Sends a stream once the server asks for it, or says nothing for a while; none of it to one that answers at once. */
function sendWanted(call: ClientRequest, body: Readable, fail: (error: Error) => void): void {
  const send = () => {
    clearTimeout(unasked);
    call.off('continue', send);
    pipeline(body, call).catch(fail);
  };
  const unasked = setTimeout(send, UNASKED);
  const dontSend = () => {
    clearTimeout(unasked);
    call.off('continue', send);
  };
  // Also before anything is sent.
  body.once('error', (error) => {
    fail(error);
    call.destroy();
  });
  call.once('continue', send);
  call.once('response', dontSend);
  call.once('close', () => {
    dontSend();
    body.destroy();
  });
  call.flushHeaders();
}

async function readAll(answer: IncomingMessage, most: number, cut: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) {
      answer.destroy();
      if (cut) return Buffer.concat([...parts, part.subarray(0, part.length - (size - most))]);
      throw new AnswerTooLong(`the answer is longer than ${most} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The bytes of a body. Those of an array are not copied: files may be large. */
async function bytesOf(body: RequestInit['body']): Promise<Buffer | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from(await new Response(body).arrayBuffer());
}

/** @throws NoAnswer for a status that is none of HTTP's for an answer */
function toResponse(answer: IncomingMessage, bytes: Buffer): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) for (const value of values ?? []) headers.append(name, value);
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) throw new NoAnswer(`it answers ${status}, which is no status of an answer`);
  // A Response refuses a body with these.
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : new Uint8Array(bytes), { status, headers });
}

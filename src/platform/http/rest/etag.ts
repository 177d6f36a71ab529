import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { Context } from '../../context.ts';
import { Missing, PreconditionFailed } from '../../errors.ts';
import { SIGNATURE } from '../../public-url.ts';
import type { Answer } from './envelope.ts';
import type { RestOperation } from './operation.ts';
import { scopedPathOf } from './paths.ts';

/** True for operations that answer one record as JSON: their answers have an `ETag`. */
export const hasEtag = (operation: RestOperation): boolean =>
  operation.method === 'GET' && operation.reply === 'DATA' && !operation.paged && !operation.secret;

/**
 * Adds to the answer of a read the `ETag` of its content, which changes with anything the answer contains. A client that has it already
 * (`If-None-Match`) gets 304 without a body. Its copies must be asked about before each use, and no shared cache may keep them.
 */
export function withEtag(req: Request, operation: RestOperation, answer: Answer): Answer {
  if (!hasEtag(operation) || answer.status !== 200 || answer.headers['Content-Type'] !== undefined) return answer;
  const { data } = answer.body as { data: unknown };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return answer;
  const body = JSON.stringify(answer.body);
  const etag = etagOf(body);
  const headers = { ...answer.headers, ETag: etag, 'Cache-Control': 'private, no-cache' };
  if (namesOne(req.headers['if-none-match'], etag)) return { status: 304, headers };
  return { ...answer, headers, body };
}

/**
 * The addresses at which the record may be read that a request is about, the nearest first: its own path, and that of the record above an event (`/orders/{id}/accept`,
 * `/jobs/{id}/signatures/driver`). Records that are changed in the path of a company are read without it, too; the company itself is none of them, and is not what changes
 * when something is added to one of its lists. They are as exact as `path` is: a path of a request, or the pattern.
 * @param pattern the path of the operation, which has a step for each of `path`
 */
export function pathsOfRecord({ method, variables }: RestOperation, path: string, pattern: string): string[] {
  const names = pattern.split('/');
  const steps = path.replace(/\/$/, '').split('/');
  const prefix = OF_COMPANY.split('/').length - 1;
  // What is one step below a company is its own, such as its toggles, unless it is a list.
  const isOwn = names.length === prefix + 1 && method !== 'POST' && !variables.some(({ place }) => place === 'company');
  const isScoped = pattern.startsWith(OF_COMPANY) && !isOwn;
  const isParameter = (at: number) => names[at]!.startsWith('{');
  const lengths = [steps.length];
  // The record of a path that ends with its id is that one, and nothing above it.
  for (let length = steps.length - 1; length > 0; length--) {
    lengths.push(length);
    if (isParameter(length) || isParameter(length - 1)) break;
  }
  return lengths.flatMap((length) => {
    const at = steps.slice(0, length).join('/');
    if (!isScoped) return [at];
    return length > prefix ? [at, [...steps.slice(0, 2), ...steps.slice(prefix, length)].join('/')] : [];
  });
}
const OF_COMPANY = scopedPathOf('/v1/');

/**
 * Compares `If-Match` with what reads of the record answer now. Between a read and the command, somebody may change the record.
 * @param reads of the record, the nearest first, and then of what is above it
 * @returns the record as the command must still find it; undefined if nothing that was read has an id
 * @throws PreconditionFailed, Missing when there is no such record
 */
export async function unchangedSince<R>(
  req: Request,
  [read, ...others]: readonly R[],
  ask: (read: R) => Promise<Answer>,
): Promise<Context['expects']> {
  if (!read) throw new PreconditionFailed([{ model: 'Request', field: 'If-Match', key: 'nothing_to_match' }]);
  const answer = await ask(read);
  if (answer.status === 404) throw new Missing();
  if (answer.status !== 200) throw new PreconditionFailed();
  requireMatch(req, answer);
  const own = expectedOf(answer);
  if (own) return own;
  // What has no id of its own, as the summary of a job, changes with the record above it, which is read before it.
  for (const above of others) {
    const upper = await ask(above);
    const expected = upper.status === 200 ? expectedOf(upper) : undefined;
    if (!expected) continue;
    requireMatch(req, await ask(read));
    return expected;
  }
  return undefined;
}

/** Passes when `If-Match` names what a read of the record answers now. @throws PreconditionFailed */
function requireMatch(req: Request, read: Answer): void {
  const recordOf = (etag: string) => etag.replace(/\.[^"]*/g, '');
  const named = req.headers['if-match'];
  if (!namesOne(named && recordOf(named), recordOf(etagOf(JSON.stringify(read.body))))) throw new PreconditionFailed();
}

/** The record of an answer as a command must still find it; undefined of an answer without an id. */
function expectedOf({ body }: Answer): Context['expects'] {
  const { id, version, updated_at } = (body as { data: { id?: unknown; version?: unknown; updated_at?: unknown } }).data;
  if (typeof id !== 'string') return undefined;
  return {
    id,
    ...(typeof version === 'number' ? { version } : {}),
    ...(typeof updated_at === 'string' ? { updatedAt: Date.parse(updated_at) } : {}),
  };
}

/** URLs that open a file for some minutes, in a body of JSON. */
const SIGNATURES = new RegExp(`[?&]${SIGNATURE}=[\\w.-]+`, 'g');

/**
 * 132 bits of the content's hash, as a header writes it. If the content has URLs that expire, the first part is the hash of it without their
 * signatures, which is the same until the record changes. The second part changes with the signatures, so that nobody keeps expired ones.
 */
function etagOf(body: string): string {
  const record = body.replace(SIGNATURES, '');
  return record === body ? `"${hashOf(body)}"` : `"${hashOf(record)}.${hashOf(body)}"`;
}

const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

/** True when the list of a header names an entity tag. Proxies that compress answers may have made it weak (`W/`). */
function namesOne(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

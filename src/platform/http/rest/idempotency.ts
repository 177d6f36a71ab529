import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request } from 'express';
import type { Once } from '../../commands/once.ts';
import type { Context } from '../../context.ts';
import { definePurpose, runAsPurpose } from '../../database/scope.ts';
import { BadRequest, Conflict, Invalid } from '../../errors.ts';
import { ExactNumber } from '../../json/json.ts';
import type { Answer } from './envelope.ts';
import type { RestOperation } from './operation.ts';

/**
 * `Idempotency-Key`: a repeated request with its key is answered, but not carried out again.
 *
 * A row of `idempotency_key` is claimed before the document runs, in a separate transaction, so that a concurrent repeat sees it at once.
 * Every transaction of the command then writes what it returned into that row (`Context.once`, called by `transact` just before commit), so
 * the effect and its mark commit together or not at all. At last the answer is stored. If the process dies, its lease ends. The repeated
 * request then takes the row over:
 * - if nothing was committed, the command runs,
 * - if it was committed but the answer is missing, `transact` returns the ids that the first run returned, without running the command, and
 *   the resolver reads the answer again,
 * - if the answer is there, it is sent again.
 *
 * A run that outlived its lease and was overtaken fails in `settle` and is rolled back.
 */
export interface Idempotency {
  /** Seconds after which a silent run counts as dead; longer than any request may take. 90 by default. */
  leaseSeconds?: number;
  /** Days an answer is kept; 7 by default. */
  keepDays?: number;
}

interface Attempt {
  req: Request;
  operation: Pick<RestOperation, 'public' | 'secret'>;
  params: Record<string, string>;
  body: unknown;
  context: Context;
}

interface Row {
  request_hash: string;
  token: string;
  state: 'running' | 'done';
  results: unknown[];
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  lapsed: boolean;
  expired: boolean;
}

type Key = { companyId: string; principal: string; key: string };

/** Deletes expired keys of all companies. */
export const KEYS = definePurpose('keys', { idempotency_key: ['select', 'delete'] });
const HEADER = 'Idempotency-Key';
/** Answers that say nothing about the request itself: trying again may end differently. */
const PASSING = new Set([401, 408, 429]);

/** Runs a request at most once per key of its client and company. @throws BadRequest, Invalid, Conflict about the key */
export async function once(options: Idempotency, attempt: Attempt, run: (ctx: Context) => Promise<Answer>): Promise<Answer> {
  const { context, req } = attempt;
  const text = req.headers['idempotency-key'];
  // A public operation has no client to scope the key to, and its answers may hold tokens.
  if (text === undefined || !context.viewer || attempt.operation.public) return run(context);
  if (typeof text !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(text)) throw new BadRequest('idempotency_key_malformed', undefined, HEADER);
  const companyId = attempt.params['company-id']?.toLowerCase() ?? context.viewer.companyId;
  // Nothing is done in a company that is not the client's: there is nothing to remember, and nowhere to remember it.
  if (!context.viewer.companyIds.includes(companyId)) return run(context);
  const key: Key = {
    companyId,
    principal: `${context.viewer.type}:${context.viewer.id}`,
    key: text,
  };
  const claimed = await claim(context.em, key, fingerprint(attempt), options);
  if ('answer' in claimed) return claimed.answer;
  const mine = { ...key, token: claimed.token };
  try {
    const answer = await run({ ...context, once: journal(mine, claimed.results, options) });
    // A secret is shown once: a repeated request gets the record as it is, without the secret.
    if (answer.status >= 500 || PASSING.has(answer.status) || attempt.operation.secret) await release(context.em, mine);
    else await store(context.em, mine, answer);
    return answer;
  } catch (error) {
    await release(context.em, mine);
    throw error;
  }
}

/** Deletes expired rows, for a sweeper. @returns how many */
export async function deleteExpiredKeys(em: EntityManager, limit = 1_000): Promise<number> {
  const rows = await runAsPurpose(KEYS, () =>
    sql(
      em,
      `delete from idempotency_key where ctid = any(array(select ctid from idempotency_key where expires_at < now() limit ?)) returning 1`,
      [limit],
    ),
  );
  return rows.length;
}

async function claim(
  em: EntityManager,
  key: Key,
  hash: string,
  { leaseSeconds = 90, keepDays = 7 }: Idempotency,
): Promise<{ token: string; results: unknown[] } | { answer: Answer }> {
  const token = randomUUID();
  const where = [key.companyId, key.principal, key.key];
  for (let tries = 0; tries < 5; tries++) {
    const created = await sql(
      em,
      `insert into idempotency_key (company_id, principal, key, request_hash, token, lease_until, expires_at)
       values (?, ?, ?, ?, ?, now() + make_interval(secs => ?), now() + make_interval(days => ?)) on conflict do nothing returning 1`,
      [...where, hash, token, leaseSeconds, keepDays],
    );
    if (created.length > 0) return { token, results: [] };
    const [row] = await sql<Row>(
      em,
      `select request_hash, token, state, results, status, headers, body, lease_until < now() as lapsed, expires_at < now() as expired
       from idempotency_key where company_id = ? and principal = ? and key = ?`,
      where,
    );
    if (!row) continue;
    if (row.expired) {
      await sql(em, 'delete from idempotency_key where company_id = ? and principal = ? and key = ? and token = ?', [...where, row.token]);
      continue;
    }
    if (row.request_hash !== hash) throw new Invalid([{ model: 'Request', field: HEADER, key: 'idempotency_key_reused' }]);
    if (row.state === 'done') {
      const headers = { ...row.headers, 'Idempotency-Replayed': 'true' };
      return { answer: { status: row.status as number, headers, body: row.body ?? undefined } };
    }
    if (!row.lapsed) throw inProgress();
    const taken = await sql<{ results: unknown[] }>(
      em,
      `update idempotency_key set token = ?, lease_until = now() + make_interval(secs => ?)
       where company_id = ? and principal = ? and key = ? and token = ? returning results`,
      [token, leaseSeconds, ...where, row.token],
    );
    if (taken[0]) return { token, results: taken[0].results };
  }
  throw inProgress();
}

function journal(mine: Key & { token: string }, results: unknown[], { leaseSeconds = 90 }: Idempotency): Once {
  const earlier = [...results];
  return {
    begun: results.length > 0,
    replay: () => (earlier.length > 0 ? { result: earlier.shift() } : undefined),
    async settle(em, result) {
      const kept = await sql(
        em,
        `update idempotency_key set results = results || ?::jsonb, lease_until = now() + make_interval(secs => ?)
         where company_id = ? and principal = ? and key = ? and token = ? returning 1`,
        [JSON.stringify([identity(result)]), leaseSeconds, mine.companyId, mine.principal, mine.key, mine.token],
      );
      if (kept.length === 0) throw inProgress();
    },
  };
}

async function store(em: EntityManager, mine: Key & { token: string }, answer: Answer): Promise<void> {
  await sql(
    em,
    `update idempotency_key set state = 'done', status = ?, headers = ?::jsonb, body = ?
     where company_id = ? and principal = ? and key = ? and token = ?`,
    [
      answer.status,
      JSON.stringify(answer.headers),
      answer.body === undefined ? null : JSON.stringify(answer.body),
      mine.companyId,
      mine.principal,
      mine.key,
      mine.token,
    ],
  );
}

/** Lets the next try in: at the start when nothing was committed, else behind what was. */
async function release(em: EntityManager, mine: Key & { token: string }): Promise<void> {
  const at = [mine.companyId, mine.principal, mine.key, mine.token];
  const where = 'where company_id = ? and principal = ? and key = ? and token = ?';
  await sql(em, `delete from idempotency_key ${where} and results = '[]'`, at);
  await sql(em, `update idempotency_key set lease_until = now() ${where}`, at);
}

function inProgress(): Conflict {
  return new Conflict([{ model: 'Request', field: HEADER, key: 'idempotency_in_progress' }]);
}

/** Records as their ids: enough to read them again, and nothing that could be stale or secret. */
function identity(result: unknown): unknown {
  if (result === undefined || result === null) return null;
  if (Array.isArray(result)) return result.map(identity);
  if (typeof result !== 'object' || result instanceof Date) return result;
  if (Object.getPrototypeOf(result) === Object.prototype)
    return Object.fromEntries(Object.entries(result).map(([k, v]) => [k, identity(v)]));
  const id = (result as { id?: unknown }).id;
  return typeof id === 'string' ? { id } : null;
}

function fingerprint({ req, body }: Attempt): string {
  return createHash('sha256').update(`${req.method} ${req.originalUrl}\n`).update(canonical(body)).digest('hex');
}

/** JSON with sorted keys: the same content hashes the same, however a client orders it. */
function canonical(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

function sql<T = unknown>(em: EntityManager, text: string, values: unknown[]): Promise<T[]> {
  return em.getConnection('write').execute<T[]>(text, values as never, 'all', em.getTransactionContext());
}

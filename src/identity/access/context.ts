import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { FlushMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type AuditRecord, writeRecords } from '../../platform/commands/records.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { currentWork } from '../../platform/database/request-work.ts';
import { setRequestScope } from '../../platform/database/scope.ts';
import { setTenant } from '../../platform/database/tenant.ts';
import { learnTime } from '../../platform/database/time/sandbox-time.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { requestIdOf } from '../../platform/http/request-id.ts';
import { pickLanguage } from '../../platform/i18n/messages.ts';
import type { Reader } from '../../platform/read/reader.ts';
import { nameAsker } from '../../platform/tracing/spans.ts';
import { noteToken } from '../sign-in/first-sign-in.ts';
import { externalIssuerOf } from '../tokens/external-issuer.ts';
import { viewerFromToken } from './viewer.ts';

/** The origin of a Context: an HTTP request, or an object like one. */
export interface RequestLike {
  headers: IncomingHttpHeaders;
  /** Express's, which knows the trusted proxies. */
  ip?: string;
}

const LONGEST_AGENT = 300;

/**
 * Makes the Context of each request: a fork of `em` with the tenant filter of the viewer's companies, the viewer of the bearer token, the
 * language. A bad or missing token is no error here: there is no `viewer` then, and `authError` says why, so that public operations work.
 */
export function contextFactory(
  em: EntityManager,
  readerFor: (ctx: Context) => Reader,
  report?: (error: unknown, requestId: string) => void,
): (req: RequestLike, again?: { again: true }) => Promise<Context> {
  return async (req, again) => {
    let fork: EntityManager | undefined;
    // Express works it out at each use.
    const address = req.ip;
    const ctx = {
      requestId: requestIdOf(req as IncomingMessage),
      language: pickLanguage(req.headers['accept-language']),
      client: address ? { address, agent: req.headers['user-agent']?.slice(0, LONGEST_AGENT) } : undefined,
      // Planned reads need no unit of work, and most requests are reads: it is made when it is first used.
      get em() {
        if (!fork) {
          fork = em.fork({ clear: true, flushMode: FlushMode.COMMIT });
          if (ctx.viewer) setTenant(fork, ctx.viewer);
        }
        return fork;
      },
      rate: {},
      memo: new Map(),
      report: (error: unknown) => report?.(error, ctx.requestId),
    } as Partial<Context> as Context;
    const token = bearerToken(req.headers.authorization);
    if (token === null) ctx.authError = 'invalid_token';
    else if (token !== undefined) await identify(em, ctx, token, again ? undefined : (req as Partial<IncomingMessage>));
    ctx.read = readerFor(ctx);
    return ctx;
  };
}

/**
 * The token of an Authorization header: null if what follows `Bearer` (in any case) is none; undefined without the header, and with another scheme,
 * of which a client must hear that a token is missing, and not that it is wrong (RFC 6750, section 3.1).
 */
function bearerToken(header: string | undefined): string | null | undefined {
  if (header === undefined || !/^bearer\b/i.test(header)) return undefined;
  return /^bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1] ?? null;
}

/**
 * A request by somebody who acts as another person is written to the audit log before it is answered. The records that they read are
 * written there too, in the transaction that reads them (`rowsNoted` in platform/read/watched.ts).
 */
function auditRequest(em: EntityManager, ctx: Context, viewer: Viewer, req: Partial<IncomingMessage>): Promise<void> {
  const path = (req as { originalUrl?: string }).originalUrl ?? req.url ?? null;
  return auditAsked(em, ctx, viewer, 'request', { method: [null, req.method ?? null], path: [null, path] });
}

/**
 * Writes to the audit log which fields a GraphQL document asks for, because its path does not show that. @param fields of the query, with
 * their arguments
 */
export async function auditQuery(em: EntityManager, ctx: Context, fields: Record<string, unknown>): Promise<void> {
  if (ctx.viewer?.realActor && Object.keys(fields).length > 0) await auditAsked(em, ctx, ctx.viewer, 'query', { fields: [null, fields] });
}

async function auditAsked(
  em: EntityManager,
  ctx: Context,
  viewer: Viewer,
  event: 'request' | 'query',
  changes: AuditRecord['changes'],
): Promise<void> {
  const asked: AuditRecord = { event, type: 'User', id: viewer.id, companyId: viewer.companyId, changes };
  await em
    .fork()
    .transactional((tx) =>
      writeRecords(tx, { events: [], audits: [asked], transitions: [] }, { actor: viewer, requestId: ctx.requestId, now: new Date() }),
    );
}

/** @param req what is asked for; undefined if it was written to the audit log before */
async function identify(em: EntityManager, ctx: Context, token: string, req: Partial<IncomingMessage> | undefined): Promise<void> {
  try {
    ctx.viewer = await viewerFromToken(em, token);
    if (externalIssuerOf(em, token)) await noteToken(ctx);
    setRequestScope(ctx.viewer.companyIds);
    await learnTime(em);
    const work = currentWork();
    nameAsker(ctx.viewer);
    if (work) work.asker = { company: ctx.viewer.companyId, caller: ctx.viewer.realActor?.id ?? ctx.viewer.id };
    if (req && ctx.viewer.realActor) await auditRequest(em, ctx, ctx.viewer, req);
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    ctx.authError = error.errorType as Context['authError'];
  }
}

import { HeaderMap } from '@apollo/server';
import type { Request } from 'express';
import { GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { expected, Gone, HaulgateError } from '../../errors.ts';
import { translate } from '../../i18n/messages.ts';
import { type FailureLog, logFailure } from '../request-id.ts';
import { challengeOf } from '../rest/envelope.ts';

/** Logs that a request is answered with 503, and why, which its answer does not say. What is not known is logged where it is presented. */
export function logUnavailable(log: FailureLog, req: Request, error: unknown): void {
  if (error instanceof HaulgateError) logFailure(log, req, error.status, error);
}

/**
 * Any error that fails a whole request. A database that cannot be reached is 503; of what is not known clients learn nothing, because its
 * message may name hosts and tables.
 */
export function presentAny(thrown: unknown, context: Pick<Context, 'language' | 'requestId'>, log: FailureLog): GraphQLError {
  const error = expected(thrown);
  if (error instanceof HaulgateError) return present(error, context);
  log.error({ err: thrown, requestId: context.requestId }, 'request failed');
  const extensions = { code: 'internal_server_error', requestId: context.requestId, http: { status: 500 } };
  return new GraphQLError(translate(context.language, 'internal_server_error'), { extensions });
}

/**
 * An error of the family as GraphQL says it: the first message in the caller's language, everything else in `extensions`.
 * @param at the field that failed, if the others may have been answered
 */
export function present(
  error: HaulgateError,
  context: Pick<Context, 'language' | 'requestId'>,
  at?: { path?: GraphQLError['path']; nodes?: GraphQLError['nodes'] },
  path = at?.path,
): GraphQLError {
  const items = error.items.map(({ key, params, ...item }) => ({ ...item, message: translate(context.language, key, params) }));
  const first = items[0];
  // A caller who signs in has no token yet.
  const key = error.errorType === 'invalid_credentials' ? error.errorType : error.code;
  const headers = new HeaderMap();
  if (error.retryAfter) headers.set('retry-after', String(error.retryAfter));
  const challenge = challengeOf(error);
  if (challenge) headers.set('www-authenticate', challenge);
  const message = first ? [first.field, first.message].filter(Boolean).join(' ') : translate(context.language, key);
  return new GraphQLError(message, {
    path,
    nodes: at?.nodes,
    extensions: {
      code: error.code,
      ...(error.errorType ? { error_type: error.errorType } : {}),
      ...(items.length > 0 ? { errors: items } : {}),
      ...(error instanceof Gone && error.begin ? { begin: error.begin } : {}),
      // Whoever has no token yet finds a page on which documents are tried.
      ...(error.status === 401 ? { workbench: '/graphql' } : {}),
      requestId: context.requestId,
      // Before execution the whole request is wrong; a field that fails leaves the answer a 200, but for a missing token.
      http: {
        status: at && error.status !== 401 ? undefined : error.status,
        ...(headers.size > 0 ? { headers } : {}),
      },
    },
  });
}

/** An error as clients read it: without what is for the head of the answer. */
export function withoutHead(error: GraphQLError): GraphQLError {
  const { http: _http, ...extensions } = error.extensions;
  return new GraphQLError(error.message, {
    path: error.path,
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions,
  });
}

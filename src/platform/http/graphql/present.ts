import { HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import type { HaulgateError } from '../../errors.ts';
import { translate } from '../../i18n/messages.ts';
import { challengeOf } from '../rest/envelope.ts';

/** An error of the family as GraphQL says it: the first message in the caller's language, everything else in `extensions`. */
export function present(
  error: HaulgateError,
  context: Pick<Context, 'language' | 'requestId'>,
  at?: { path?: GraphQLError['path']; nodes?: GraphQLError['nodes'] },
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
    path: at?.path,
    nodes: at?.nodes,
    extensions: {
      code: error.code,
      ...(error.errorType ? { error_type: error.errorType } : {}),
      ...(items.length > 0 ? { errors: items } : {}),
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

import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request, RequestHandler } from 'express';
import { isPlatformAdmin } from '../../partners/companies/create-company.ts';
import { perApplication } from '../../platform/application.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { queryOnceIn } from '../../platform/database/sql.ts';
import { Denied, HaulgateError } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { requireAcceptable } from '../../platform/http/rest/negotiation.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';
import { checkInvariants, roomInRequest } from './check-invariants.ts';
import { INVARIANTS_CHECK } from './invariants.ts';

interface CheckServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}
const string = { type: 'string' };
const object = (properties: Record<string, object>) => ({ type: 'object', properties, required: Object.keys(properties) });
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** Whether books and events agree, for who runs the installation. */
export const invariantEndpoints: readonly HttpEndpoint<CheckServices>[] = [
  {
    method: 'get',
    path: '/ops/invariants',
    handlers: (services) => [answer(services)],
    openapi: {
      operationId: 'CheckInvariants',
      summary: 'Check invariants',
      description:
        'Compares books and events of all companies, and names the records that do not agree; for platform administrators. It reads whole tables.',
      tags: ['reporting'],
      responses: {
        200: {
          description: 'Success',
          content: {
            'application/json': {
              schema: object({
                data: {
                  type: 'array',
                  items: object({
                    name: string,
                    meaning: string,
                    count: { type: 'integer' },
                    violations: { type: 'array', items: object({ id: string, company_id: string, what: string }) },
                    milliseconds: { type: 'integer' },
                  }),
                },
              }),
            },
          },
        },
        401: error('Unauthorized'),
        403: error('Forbidden'),
        406: error('NotAcceptable'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function answer({ contextFor, takeTurn }: CheckServices): RequestHandler {
  return async (req, res, next) => {
    try {
      requireAcceptable(req);
      const began = Date.now();
      const ctx = await contextFor(req);
      if (!isPlatformAdmin(viewerOf(ctx))) throw new Denied('platform_admin');
      await takeTurn(ctx, res);
      const until = began + invariantLimits.of(ctx.em).milliseconds;
      const ask = (sql: string) => askApart(ctx.em, sql, until - Date.now());
      const data = await runAsPurpose(INVARIANTS_CHECK, () => checkInvariants(ask, ask));
      res.set('Cache-Control', 'no-store').json({ data });
    } catch (failure) {
      next((failure as { code?: unknown }).code === CANCELED ? new TakesLonger() : failure);
    }
  };
}

/** `query_canceled` of PostgreSQL: the time of a statement was up. */
const CANCELED = '57014';

/** Milliseconds of a whole check: less than a request may take, so that its caller learns why there is no answer. */
export const invariantLimits = perApplication('limits of invariants', () => ({ milliseconds: 55_000 }));

/** A database that is too large for a request: trying again is of no use. */
class TakesLonger extends HaulgateError {
  constructor() {
    super(503, 'service_unavailable', [{ model: 'Invariant', field: '', key: 'invariants_take_longer' }]);
  }
}

/** Asks in a transaction of its own, in which a statement has the memory that sums over whole tables take, and what is left of the time. */
const askApart = (em: EntityManager, sql: string, left: number): Promise<object[]> =>
  em.fork({ clear: true }).transactional(
    async (tx) => {
      if (left < 1) throw new TakesLonger();
      await queryOnceIn(tx as EntityManager, roomInRequest(left));
      return queryOnceIn<object>(tx as EntityManager, sql);
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );

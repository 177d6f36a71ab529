import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type RequestHandler } from 'express';
import { queryAs } from '../../platform/database/sql.ts';
import { BadRequest, Denied, Unauthenticated } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import type { CountRequest } from '../../platform/http/rate-limits.ts';
import { ProviderError } from '../../platform/http/remote.ts';
import { isUuid } from '../../platform/ids.ts';
import { FLEETS } from './fleet-purpose.ts';
import { isPushPassword } from './fleet-secrets.ts';
import { storePushed } from './poll-fleet.ts';
import { readPushed } from './providers/verizon-reveal.ts';
import { PUSH_PATH } from './push-url.ts';
import { MANAGES_FLEETS } from './telematics-fleet.entity.ts';

export interface PushServices {
  em: EntityManager;
  count: CountRequest;
}

/** Bytes of what a provider sends at once: some thousand positions. */
const MOST = '1mb';

/**
 * Where Verizon Reveal sends positions of a fleet: HTTP Basic with the fleet's id and the password that was made for it, JSON or XML, and 204
 * once they are stored. A plain endpoint, because the provider decides what its body is.
 */
function pushEndpoint({ em, count }: PushServices): RequestHandler {
  return async (req, res, next) => {
    try {
      await count(req, res);
      const id = String(req.params.fleetId);
      if (!(await isProvider(em, id, req.headers.authorization))) {
        res.set('WWW-Authenticate', 'Basic realm="telematics"');
        throw new Unauthenticated('invalid_credentials');
      }
      const [fleet] = await queryAs<{ company_id: string }>(FLEETS, em, FIND, [id]);
      const page = read(String(req.body ?? ''));
      if (!fleet || !(await storePushed(em, { id: id.toLowerCase(), companyId: fleet.company_id }, page))) throw new Denied(MANAGES_FLEETS);
      res.status(204).end();
    } catch (error) {
      next(error);
    }
  };
}

const FIND = 'select company_id from telematics_fleet where id = $1';

async function isProvider(em: EntityManager, id: string, authorization: string | undefined): Promise<boolean> {
  const given = /^Basic ([\w+/=-]{1,400})$/i.exec(authorization ?? '')?.[1];
  if (!given || !isUuid(id)) return false;
  const [user = '', ...password] = Buffer.from(given, 'base64').toString().split(':');
  return user.toLowerCase() === id.toLowerCase() && isPushPassword({ em }, id.toLowerCase(), password.join(':'));
}

function read(text: string): ReturnType<typeof readPushed> {
  try {
    return readPushed(text);
  } catch (error) {
    if (error instanceof ProviderError) throw new BadRequest('positions_unreadable');
    throw error;
  }
}

export const pushEndpoints: HttpEndpoint<PushServices>[] = [
  {
    method: 'post',
    path: PUSH_PATH,
    handlers: (services) => [express.text({ type: () => true, limit: MOST }), pushEndpoint(services)],
    openapi: {
      operationId: 'PushPositions',
      summary: 'Push positions',
      description:
        'Where Verizon Reveal sends the positions of a fleet, as JSON or XML. The user is the id of the fleet, the password its `pushPassword`.',
      tags: ['telematics'],
      security: [{ basic: [] }],
      parameters: [{ name: 'fleet-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: {} }, 'application/xml': { schema: { type: 'string' } } },
      },
      responses: {
        204: { description: 'Stored' },
        400: { $ref: '#/components/responses/BadRequest' },
        401: { $ref: '#/components/responses/Unauthorized' },
        403: { $ref: '#/components/responses/Forbidden' },
        413: { $ref: '#/components/responses/PayloadTooLarge' },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    },
  },
];

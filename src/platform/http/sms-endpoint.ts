import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type RequestHandler } from 'express';
import { provided } from '../application.ts';
import { BadRequest, Missing, Unauthenticated } from '../errors.ts';
import { noteConsent } from '../outgoing/sms-consent.ts';
import { normalizePhone } from '../phone.ts';
import { publicUrl } from '../public-url.ts';
import type { HttpEndpoint } from './http-endpoints.ts';
import type { CountRequest } from './rate-limits.ts';

/** The secret with which the SMS service signs what it sends here; without one, nothing is taken. */
export const smsSecret = provided<string | undefined>('secret of the SMS service');

export interface SmsServices {
  em: EntityManager;
  count: CountRequest;
}

const PATH = '/v1/sms/incoming';

/**
 * Where the SMS service reports texts that people send, as Twilio does: a form, signed in `X-Twilio-Signature` with the HMAC-SHA-1 of the
 * address and the fields in the order of their names. STOP ends all texts to the number, START allows them again.
 */
function incomingSms({ em, count }: SmsServices): RequestHandler {
  return async (req, res, next) => {
    try {
      await count(req, res);
      const secret = smsSecret.of(em);
      if (!secret) throw new Missing();
      const fields = fieldsOf(String(req.body ?? ''));
      if (!isSigned(secret, publicUrl.of(em) + req.originalUrl, fields, req.get('X-Twilio-Signature')))
        throw new Unauthenticated('invalid_credentials');
      const { MessageSid: id, From: phone, Body: text } = Object.fromEntries(fields);
      const from = phone && normalizePhone(phone);
      if (!id || !from || text === undefined) throw new BadRequest();
      await noteConsent(em, { id, from, text });
      // The service answers STOP and START itself; carriers demand that.
      res.status(200).type('text/xml').send('<?xml version="1.0" encoding="UTF-8"?><Response/>');
    } catch (error) {
      next(error);
    }
  };
}

const fieldsOf = (body: string): [string, string][] => [...new URLSearchParams(body)];

function isSigned(secret: string, url: string, fields: readonly [string, string][], given: string | undefined): boolean {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const expected = createHmac('sha1', secret)
    .update(url + sorted.flat().join(''))
    .digest();
  const signature = Buffer.from(given ?? '', 'base64');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

const MOST = '64kb';

export const smsEndpoints: readonly HttpEndpoint<SmsServices>[] = [
  {
    method: 'post',
    path: PATH,
    handlers: (services) => [express.text({ type: () => true, limit: MOST }), incomingSms(services)],
    openapi: {
      operationId: 'ReceiveSms',
      summary: 'Receive SMS',
      description:
        'Where the SMS service reports texts that people send. STOP ends all texts to the number, START allows them again. It is signed as Twilio signs its webhooks, and answers 404 without `HAULGATE_SMS_TOKEN`.',
      tags: ['operation'],
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              required: ['MessageSid', 'From', 'Body'],
              properties: { MessageSid: { type: 'string' }, From: { type: 'string' }, Body: { type: 'string' } },
            },
          },
        },
      },
      responses: {
        200: { description: 'It was noted.', content: { 'text/xml': { schema: { type: 'string' } } } },
        400: { $ref: '#/components/responses/BadRequest' },
        401: { $ref: '#/components/responses/Unauthorized' },
        404: { $ref: '#/components/responses/NotFound' },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    },
  },
];

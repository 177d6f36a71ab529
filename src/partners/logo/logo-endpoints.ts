import { pipeline } from 'node:stream/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request, RequestHandler } from 'express';
import { LOGO_PATH } from '../../directory/companies/logo-url.ts';
import { readForm } from '../../files/read-form.ts';
import type { Context } from '../../platform/context.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { OPERATION_HEADERS } from '../../platform/http/openapi/headers.ts';
import { readJsonBytes } from '../../platform/http/rest/body.ts';
import { unknownFields, unknownParameters, withIgnored } from '../../platform/http/rest/ignored.ts';
import { isStrict, requireAcceptable, requireType } from '../../platform/http/rest/negotiation.ts';
import { sendAnswer } from '../../platform/http/rest/send.ts';
import { isUuid } from '../../platform/ids.ts';
import { parseJson } from '../../platform/json/json.ts';
import { isObject } from '../../platform/json/objects.ts';
import { dropReceived, type Received } from '../../platform/storage/incoming.ts';
import { fileStorage, storageIsAway } from '../../platform/storage/storage.ts';
import { imageOf, LOGO_LIMIT, mayChangeLogo, setCompanyLogo, wrong } from './company-logo.ts';

export interface LogoServices {
  em: EntityManager;
  contextFor(req: Request): Promise<Context>;
  /** A company as `GET /v1/companies/{id}` answers it. */
  showCompany(ctx: Context, id: string): Promise<unknown>;
}

/** Shows a logo to everybody who knows its key: it finds the image, and nothing else of the company. */
export const LOGOS = definePurpose('logos', { company: ['select (logo_key, logo_type)'] });

const FORM = { model: 'Company', file: 'logo', limit: LOGO_LIMIT };
/** Bytes of a JSON body: base64 and some room. */
const JSON_LIMIT = Math.ceil((LOGO_LIMIT * 4) / 3) + 16_384;
/** Seconds; a new logo has another address. */
const YEAR = 31_536_000;
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** Giving a logo, a plain handler because its body may be a form; and showing it, because that is an image. */
export const logoEndpoints: readonly HttpEndpoint<LogoServices>[] = [
  {
    method: 'post',
    path: '/v1/companies/{company-id}/logo',
    handlers: (services) => [takeLogo(services)],
    openapi: {
      operationId: 'SetCompanyLogo',
      summary: 'Set company logo',
      description:
        'A JPEG, PNG, WebP or GIF of at most 2 MB, detected from the content: as the part `logo` of a form, or in base64. Null removes the logo.',
      tags: ['directory'],
      parameters: [
        { name: 'company-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { $ref: '#/components/parameters/Prefer' },
      ],
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: { type: 'object', required: ['logo'], properties: { logo: { type: 'string', format: 'binary' } } },
          },
          'application/json': { schema: { type: 'object', required: ['logo'], properties: { logo: { type: 'string', nullable: true } } } },
        },
      },
      responses: {
        201: {
          description: 'Success',
          headers: OPERATION_HEADERS,
          content: { 'application/json': { schema: { type: 'object', properties: { data: { $ref: '#/components/schemas/Company' } } } } },
        },
        ...Object.fromEntries(
          Object.entries({
            400: 'BadRequest',
            401: 'Unauthorized',
            403: 'Forbidden',
            404: 'NotFound',
            406: 'NotAcceptable',
            415: 'UnsupportedMediaType',
            422: 'UnprocessableContent',
            503: 'ServiceUnavailable',
          }).map(([status, name]) => [status, error(name)]),
        ),
      },
    },
  },
  {
    method: 'get',
    path: LOGO_PATH,
    handlers: ({ em }) => [showLogo(em)],
    openapi: {
      operationId: 'GetCompanyLogoImage',
      summary: 'Get company logo image',
      description: 'The image at `logo_url` of a company. Requires no token.',
      tags: ['directory'],
      security: [],
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      responses: {
        200: { description: 'Success', content: { 'image/*': { schema: { type: 'string', format: 'binary' } } } },
        404: error('NotFound'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function takeLogo({ contextFor, showCompany }: LogoServices): RequestHandler {
  return async (req, res, next) => {
    try {
      requireAcceptable(req);
      const ctx = await contextFor(req);
      // Before a byte of the body is read; the command asks again.
      mayChangeLogo(ctx, String(req.params.companyId));
      const { image, ignored } = await readLogo(ctx, req);
      const { id } = await setCompanyLogo(ctx, String(req.params.companyId), image);
      if (isStrict(req)) res.append('Preference-Applied', 'handling=strict');
      await sendAnswer(req, res, withIgnored({ status: 201, headers: {}, body: { data: await showCompany(ctx, id) } }, ignored));
    } catch (failure) {
      next(failure);
    }
  };
}

/** The image of a request, which null removes, and what the request says that is not known. @throws Invalid */
async function readLogo(ctx: Context, req: Request): Promise<{ image: Received | null; ignored: readonly ErrorItem[] }> {
  const items: ErrorItem[] = [];
  const parameters = unknownParameters(req, [], items);
  if (req.is('multipart/form-data')) {
    const form = await readForm(ctx, req, [], FORM);
    items.push(...form.items);
    if (form.file && items.length === 0) return { image: form.file, ignored: parameters };
    if (form.file) await dropReceived(form.file.path);
    throw items.length > 0 ? new Invalid(items) : wrong('required');
  }
  requireType(req);
  const body = parseJson(await readJsonBytes(req, JSON_LIMIT));
  const ignored = [...parameters, ...unknownFields(req, body, { model: FORM.model, known: [FORM.file] }, items)];
  const logo = isObject(body.value) ? body.value.logo : undefined;
  if (logo === undefined) items.push(...wrong('required').items);
  else if (logo !== null && typeof logo !== 'string') items.push(...wrong('not_base64').items);
  if (items.length > 0) throw new Invalid(items);
  return { image: typeof logo === 'string' ? await imageOf(ctx, logo) : null, ignored };
}

function showLogo(em: EntityManager): RequestHandler {
  return async (req, res, next) => {
    try {
      const id = String(req.params.id).toLowerCase();
      const pool = await poolOf(em);
      const text = 'select logo_type as type from company where logo_key = $1';
      const found = isUuid(id)
        ? await runAsPurpose(LOGOS, () => pool.query<{ type: string }>({ name: 'logo-by-key', text, values: [id] }))
        : undefined;
      const type = found?.rows[0]?.type;
      if (!type) throw new Missing();
      const bytes = await fileStorage.of(em).read(id).catch(storageIsAway);
      res.set({
        'Content-Type': type,
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': `public, max-age=${YEAR}, immutable`,
      });
      await pipeline(bytes, res);
    } catch (failure) {
      // An error after the first bytes were sent can no longer be reported.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}

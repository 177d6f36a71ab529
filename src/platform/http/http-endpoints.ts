import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { HaulgateError } from '../errors.ts';
import { errorAnswer } from './rest/envelope.ts';
import { sendAnswer } from './rest/send.ts';

/**
 * An endpoint that is no REST document, because its answer or its body is no JSON envelope: the token exchange of RFC 6749, file
 * bytes, health. `src/app/http-endpoints.ts` lists all of them; each appears in the OpenAPI file by `openapi`.
 */
export interface HttpEndpoint<Services> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI spelling: `/v1/files/{file-id}`. */
  path: string;
  /** Made when the server starts; the OpenAPI file is written without services. */
  handlers(services: Services): (RequestHandler | ErrorRequestHandler)[];
  /** The OpenAPI operation object; left out of the file when undefined. */
  openapi?: Record<string, unknown>;
}

/** The data of a plain endpoint for the OpenAPI file. */
export type HttpEndpointDescription = Pick<HttpEndpoint<never>, 'method' | 'path' | 'openapi'>;

/** The path as Express writes it: `/v1/files/{file-id}` -> `/v1/files/:fileId`. */
function expressPath(path: string): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => `:${name.replace(/-([a-z])/g, (__, letter: string) => letter.toUpperCase())}`);
}

/**
 * Serves the endpoints.
 * @param others whether other methods of their paths are refused; not where something behind them serves some
 */
export function mountEndpoints<Services>(
  router: Record<
    HttpEndpointDescription['method'] | 'all',
    (path: string, ...handlers: (RequestHandler | ErrorRequestHandler)[]) => unknown
  >,
  endpoints: readonly HttpEndpoint<Services>[],
  services: Services,
  others = true,
): void {
  for (const { method, path, handlers } of endpoints) router[method](expressPath(path), ...handlers(services));
  if (!others) return;
  for (const [path, same] of Map.groupBy(endpoints, ({ path }) => path)) {
    const methods = same.map(({ method }) => method.toUpperCase()).sort();
    const refuse: RequestHandler = (req, res, next) => void refuseMethod(req, res, methods).catch(next);
    router.all(expressPath(path), refuse);
  }
}

/** Answers 405 to a method that a path does not have; OPTIONS answers which it has. */
export async function refuseMethod(req: Request, res: Response, methods: readonly string[]): Promise<void> {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  const answer = req.method === 'OPTIONS' ? { status: 204, headers: {} } : errorAnswer(new HaulgateError(405, 'method_not_allowed'), 'en');
  await sendAnswer(req, res, { ...answer, headers: { ...answer.headers, Allow: allow } });
}

/** An OpenAPI operation that requires no token and answers JSON of this schema. */
export function publicOperation(fields: {
  id: string;
  summary: string;
  tag: string;
  schema: object;
  more?: object;
  description?: string;
}): Record<string, unknown> {
  return {
    operationId: fields.id,
    summary: fields.summary,
    ...(fields.description ? { description: fields.description } : {}),
    tags: [fields.tag],
    security: [],
    responses: { 200: { description: 'Success', content: { 'application/json': { schema: fields.schema } } }, ...fields.more },
  };
}

import type { Request, Response } from 'express';
import type { RequestNames } from '../log.ts';
import { fail, inRequestSpan, type Tracing } from '../tracing/spans.ts';
import { isAskedFor } from '../worlds/faults.ts';

/** Balancers and monitoring ask these every few seconds, and nobody looks for them. */
const PROBES = /^\/(health|ready|version|metrics)\/?$/;
/** Paths of GraphQL, which are no routes of Express. */
const GRAPHQL = /^\/graphql(\/stream)?\/?$/;

/**
 * Runs a request in a span, which is part of the caller's trace if it brings one (`traceparent`). The span says which operation it was, and nothing of
 * what the client wrote: neither path nor query, whose ids, names and links are theirs.
 */
export function traceRequest(how: Tracing, req: Request, res: Response, { requestId }: RequestNames, run: () => void): void {
  const { method, path } = req;
  if (PROBES.test(path)) {
    run();
    return;
  }
  const { traceparent } = req.headers;
  const from = { requestId, traceParent: typeof traceparent === 'string' ? traceparent : undefined };
  const span = inRequestSpan(how, method, { 'http.request.method': method }, from, run);
  res.once('close', () => {
    const route = routeOf(req, res) ?? GRAPHQL.exec(path)?.[0];
    if (route !== undefined) {
      span.updateName(`${method} ${route}`);
      span.setAttribute('http.route', route);
    }
    if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode);
    if (!res.writableFinished) span.setAttribute('haulgate.request.left', true);
    if (res.statusCode >= 500 && !isAskedFor(res)) fail(span, { code: String(res.statusCode) });
    span.end();
  });
}

/** Notes which operation answers a request, by its path with names in place of ids. */
export function nameRoute(res: Response, path: string): void {
  res.locals.route = path;
}

function routeOf(req: Request, res: Response): string | undefined {
  const route: unknown = res.locals.route ?? (req.route as { path?: unknown } | undefined)?.path;
  return typeof route === 'string' ? route : undefined;
}

import express, { type Express, type RequestHandler, Router } from 'express';
import type { Replicas } from '../database/replicas/replicas.ts';
import { inRequest, RequestWork } from '../database/request-work.ts';
import { type Logger, requestScope } from '../log.ts';
import type { Tracing } from '../tracing/spans.ts';
import { compressAnswers } from './compress.ts';
import { allowOrigins } from './cors.ts';
import { errorHandler, notFound } from './final.ts';
import { figureEndpoints, type Health, healthEndpoints, observe } from './health.ts';
import { mountEndpoints } from './http-endpoints.ts';
import { reportPosition } from './replica-reads.ts';
import { describeRequest, logLate, namesOf } from './request-id.ts';
import { limitTime } from './request-time.ts';
import { REACHED_BY_TLS } from './rest/link.ts';
import { traceRequest } from './trace-request.ts';

export interface AppParts {
  log: Logger;
  health: Health;
  /** Mounted in this order, after health and before the 404. */
  parts: (RequestHandler | Router)[];
  /** The replicas that may answer reads; none by default. */
  replicas?: Replicas;
  /** Runs each request; what its statements may see before it is known to be somebody's is decided here. */
  enter?: (work: () => void) => void;
  /** Milliseconds; SPEC Limits: 60 seconds. */
  timeout?: number;
  /** Bytes a second that a client must take of an answer that takes longer than `timeout`. */
  leastRate?: number;
  /** Milliseconds that a statement of a request may run; 0, and any time, by default. */
  statementMs?: number;
  /** While true, every answer asks its client to open a new connection, which a proxy opens elsewhere. */
  isStopping?: () => boolean;
  /** Addresses or networks whose X-Forwarded-For is believed; none by default. */
  trustedProxies?: readonly string[];
  /** Clients reach it over TLS: answers ask them to use nothing else. */
  https?: boolean;
  /** `/version` and `/metrics` are answered on another port, which the public does not reach. */
  figuresElsewhere?: boolean;
  /** Origins of pages that may use the API from a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Gives each request a span; not by default. */
  tracing?: Tracing;
}

/** Listeners of one kind that an answer has at most. */
const MOST_LISTENERS = 20;
/** For a year (RFC 6797). Other names below the same domain are not ours to decide about. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** Nearly all requests; Express would compare their paths with those of the endpoints for operators one by one. */
const OF_THE_API = /^\/(v1|graphql|ingest)\b/;

/** The Express application: request ids, headers, health, the parts, and the error envelope behind everything. */
export function createApp(options: AppParts): Express {
  const {
    log,
    health,
    parts,
    replicas,
    enter,
    timeout = 60_000,
    leastRate,
    statementMs = 0,
    isStopping,
    trustedProxies = [],
    https,
    figuresElsewhere,
    corsOrigins = [],
    tracing,
  } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', [...trustedProxies]);
  app.set(REACHED_BY_TLS, https === true);
  app.use((req, res, next) => {
    const names = namesOf(req);
    res.setHeader('X-Request-Id', names.requestId);
    if (names.clientRequestId !== undefined) res.setHeader('X-Client-Request-Id', names.clientRequestId);
    if (https) res.setHeader('Strict-Transport-Security', STRICT_TRANSPORT);
    if (isStopping?.()) res.setHeader('Connection', 'close');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('X-Frame-Options', 'DENY');
    // A pipeline into the answer adds seven to those that are there already; Node would take them for a leak.
    res.setMaxListeners(MOST_LISTENERS);
    const work = new RequestWork(statementMs);
    res.once('close', () => {
      if (!res.writableFinished) work.abandon();
    });
    limitTime(req, res, { timeout, leastRate, abandon: () => work.abandon(), late: () => logLate(log, req, timeout) });
    observe(req, res);
    const run = () => requestScope.run(names, () => inRequest(work, next));
    if (tracing) traceRequest(tracing, req, res, names, run);
    else run();
  });
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(compressAnswers);
  // These lines are not logged at the usual level; the check spares every request a listener and an object.
  if (log.isLevelEnabled('debug'))
    app.use((req, res, next) => {
      const started = performance.now();
      res.once('finish', () =>
        log.debug({ ...describeRequest(req), status: res.statusCode, ms: Math.round(performance.now() - started) }, 'answered'),
      );
      next();
    });
  const operation = Router();
  mountEndpoints(operation, healthEndpoints, health);
  if (!figuresElsewhere) mountEndpoints(operation, figureEndpoints, health);
  app.use((req, res, next) => (OF_THE_API.test(req.path) ? next() : operation(req, res, next)));
  // Behind what compresses answers, which sends their headers when it ends them.
  if (replicas) app.use(reportPosition(replicas));
  if (enter) app.use((_req, _res, next) => enter(next));
  for (const part of parts) app.use(part);
  app.use(notFound);
  app.use(errorHandler(log));
  return app;
}

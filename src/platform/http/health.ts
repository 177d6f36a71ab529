import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type InApplication, perApplication } from '../application.ts';
import { isAskedFor } from '../worlds/faults.ts';
import { type HttpEndpoint, publicOperation } from './http-endpoints.ts';
import { requireAcceptable } from './rest/negotiation.ts';

/** The process's metrics (prom-client), served at /metrics. */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });

const durations = new Histogram({
  name: 'haulgate_http_seconds',
  help: 'Time to answer, by method, kind of path and status class; `asked` is a failure that a sandbox asked for.',
  labelNames: ['method', 'interface', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [metrics],
});

/** The metrics of one application, which `/metrics` adds to the process's. */
export const applicationMetrics = perApplication('metrics', () => new Registry());

/** Metrics as prom-client passes them between processes. */
export type MetricObjects = readonly object[];

/** Returns the figures of this process and of one application, for another process to add up. */
export async function figuresOf(figures?: Registry): Promise<MetricObjects> {
  return (await Promise.all([metrics.getMetricsAsJSON(), figures?.getMetricsAsJSON()])).flatMap((some) => some ?? []);
}

/** Adds the connections of a pool to the metrics of an application. Called once for each. */
export function observePool(application: InApplication, pool: Pool): void {
  new Gauge({
    name: 'haulgate_database_connections',
    help: 'Connections of the pool by state; waiting are requests without one.',
    labelNames: ['state'],
    registers: [applicationMetrics.of(application)],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

const interfaceOf = (path: string): string => /^\/(graphql|v1|ingest)(\/|$)/.exec(path)?.[1] ?? 'other';

/** Observes how long an answer takes, once it is out. */
export function observe(req: Request, res: Response): void {
  const started = performance.now();
  // A router would have shortened it by then.
  const { path } = req;
  res.once('finish', () => {
    const status = isAskedFor(res) ? 'asked' : `${Math.floor(res.statusCode / 100)}xx`;
    const labels = { method: req.method, interface: interfaceOf(path), status };
    durations.observe(labels, (performance.now() - started) / 1000);
  });
}

/** Which code runs. */
export interface Build {
  /** Of package.json. */
  version: string;
  /** The commit from which it was built; `unknown` if it cannot be found out. */
  sha: string;
  /** When it was built. */
  time: Date;
}

/**
 * Which parts of the process work: `HealthCheck-Read` of the contract. A part that is not configured, or that is the same as `db`, counts
 * as working with it.
 */
export interface HealthParts {
  db: boolean;
  migrations: boolean;
  redis: boolean;
}

export interface Health {
  build: Build;
  /** The metrics of the application, which `/metrics` adds to the process's. */
  figures?: Registry;
  /** Returns the figures of all processes that share the port; undefined if there is only this one. */
  family?(): Promise<MetricObjects[]>;
  parts(): Promise<HealthParts>;
  /** Throws or rejects while the process should get no traffic. */
  ready(): Promise<void>;
}

/** Gives a handler among other kinds of handlers its type. */
const on = (handler: RequestHandler): RequestHandler => handler;
const jsonOnly: RequestHandler = (req, _res, next) => {
  requireAcceptable(req);
  next();
};
const data = (properties: Record<string, object>): object => ({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'object', required: Object.keys(properties), properties } },
});
const flags = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'boolean' }]));
const NOT_ACCEPTABLE = { 406: { $ref: '#/components/responses/NotAcceptable' } };
const HEALTH_SCHEMA = data(
  flags('db', 'db_ro', 'geo_db', 'geo_db_ro', 'migrations', 'geo_migrations', 'data_migrations', 'redis', 'sidekiq_redis'),
);
const READY_SCHEMA = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } };

/** `/health` answers which parts work, `/ready` whether the process may get traffic. Neither requires a token. */
export const healthEndpoints: HttpEndpoint<Health>[] = [
  {
    method: 'get',
    path: '/health',
    handlers: (health) => [jsonOnly, on((_req, res, next) => void health.parts().then((parts) => answerHealth(res, parts), next))],
    openapi: publicOperation({
      id: 'GetHealth',
      summary: 'Health of the parts',
      tag: 'operation',
      schema: HEALTH_SCHEMA,
      description:
        'All processes use the same database. A part that is not configured counts as working. Without the database the status is 503, with the same body.',
      more: {
        ...NOT_ACCEPTABLE,
        503: { description: 'The database does not answer.', content: { 'application/json': { schema: HEALTH_SCHEMA } } },
      },
    }),
  },
  {
    method: 'get',
    path: '/ready',
    handlers: (health) => [
      on((_req, res) => {
        health.ready().then(
          () => res.json({ status: 'ready' }),
          () => res.status(503).set('Retry-After', '1').json({ status: 'not ready' }),
        );
      }),
    ],
    openapi: publicOperation({
      id: 'GetReadiness',
      summary: 'Whether this process may get traffic',
      tag: 'operation',
      schema: READY_SCHEMA,
      more: { 503: { description: 'Not ready.', content: { 'application/json': { schema: READY_SCHEMA } } } },
    }),
  },
];

/** `/version` and `/metrics`, for operators. They require no token, and are only on the health port if there is one. */
export const figureEndpoints: HttpEndpoint<Health>[] = [
  {
    method: 'get',
    path: '/version',
    handlers: ({ build }) => [jsonOnly, on((_req, res) => void res.json({ data: { ...build, api: '1.0' } }))],
    openapi: publicOperation({
      id: 'GetVersion',
      summary: 'Version of the running code',
      tag: 'operation',
      schema: data({
        sha: { type: 'string', description: 'Commit from which it was built; `unknown` if there is no information.' },
        time: { type: 'string', format: 'date-time', description: 'When it was built.' },
        version: { type: 'string' },
        api: { type: 'string', description: 'Version of the interfaces.' },
      }),
      more: NOT_ACCEPTABLE,
    }),
  },
  {
    method: 'get',
    path: '/metrics',
    handlers: (health) => [
      on((_req, res, next) => void metricsText(health).then((text) => res.type(metrics.contentType).send(text), next)),
    ],
    openapi: {
      operationId: 'GetMetrics',
      summary: 'Figures for Prometheus, of this process or of all that share its port',
      tags: ['operation'],
      security: [],
      responses: { 200: { description: 'Success', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
];

async function metricsText({ figures, family }: Health): Promise<string> {
  if (family) return AggregatorRegistry.aggregate([...(await family())]).metrics();
  return (await Promise.all([metrics.metrics(), figures?.metrics()])).join('\n');
}

function answerHealth(res: Response, { db, migrations, redis }: HealthParts): void {
  // The contract names parts that other installations separate; here one database and one Redis are all of them.
  const parts = { db, db_ro: db, geo_db: db, geo_db_ro: db, migrations, geo_migrations: migrations, data_migrations: migrations };
  if (!db) res.status(503).set('Retry-After', '1');
  res.json({ data: { ...parts, redis, sidekiq_redis: redis } });
}

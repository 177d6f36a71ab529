import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The process's metrics (prom-client), served at /metrics. */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });

const durations = new Histogram({
  name: 'haulgate_http_seconds',
  help: 'Time to answer, by method, kind of path and status class.',
  labelNames: ['method', 'face', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [metrics],
});

let observed: Pool | undefined;
new Gauge({
  name: 'haulgate_database_connections',
  help: 'Connections of the pool by state; waiting are requests without one.',
  labelNames: ['state'],
  registers: [metrics],
  collect() {
    if (!observed) return;
    this.set({ state: 'idle' }, observed.idleCount);
    this.set({ state: 'busy' }, observed.totalCount - observed.idleCount);
    this.set({ state: 'waiting' }, observed.waitingCount);
  },
});

/** Names the pool that the metrics tell about. */
export function observePool(pool: Pool): void {
  observed = pool;
}

const faceOf = (path: string): string => /^\/(graphql|v1|ingest)(\/|$)/.exec(path)?.[1] ?? 'other';

/** Observes every answer. */
export const timing: RequestHandler = (req, res, next) => {
  const stop = durations.startTimer({ method: req.method, face: faceOf(req.path) });
  res.once('finish', () => stop({ status: `${Math.floor(res.statusCode / 100)}xx` }));
  next();
};

export interface Health {
  version: string;
  /** Throws or rejects while the process should get no traffic. */
  ready(): Promise<void>;
}

/** `/health` lives, `/ready` may get traffic, `/version`, `/metrics`. None needs a token. */
export function healthHandlers(health: Health): { path: string; handler: RequestHandler }[] {
  return [
    { path: '/health', handler: (_req, res) => void res.json({ status: 'ok' }) },
    {
      path: '/ready',
      handler: (_req, res) => {
        health.ready().then(
          () => res.json({ status: 'ready' }),
          () => res.status(503).set('Retry-After', '1').json({ status: 'not ready' }),
        );
      },
    },
    { path: '/version', handler: (_req, res) => void res.json({ name: 'haulgate', version: health.version, api: '1.0' }) },
    {
      path: '/metrics',
      handler: (_req, res, next) => {
        metrics.metrics().then((text) => res.type(metrics.contentType).send(text), next);
      },
    },
  ];
}

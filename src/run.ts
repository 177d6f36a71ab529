import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrations } from '../migrations/index.ts';
import type { Config } from './config.ts';
import { keepDemoAccess, readDemoAccess, seedDemo } from './demo/seed.ts';
import { configureIdentity } from './identity/settings.ts';
import { wakeWith } from './ingest/wake.ts';
import { type IngestWorker, startIngestWorker } from './ingest/worker.ts';
import { startEmbeddedPostgres } from './platform/database/embedded.ts';
import { createOrm, migrate } from './platform/database/orm.ts';
import { createLog } from './platform/log.ts';
import { beeWaker } from './platform/queue/bee-waker.ts';
import { inProcessWaker } from './platform/queue/in-process-waker.ts';
import { entities, importers } from './rooms.ts';
import { serve, type Web } from './serve.ts';

/**
 * Starts the roles that the configuration names and stops them on SIGINT or SIGTERM: not ready, drain, release, close.
 * Resolves when everything runs.
 */
export async function run(config: Config, root: string): Promise<void> {
  const started = performance.now();
  const log = createLog(config.LOG_LEVEL);
  const closing: (() => Promise<void>)[] = [];
  let stopping = false;
  const stop = async (code: number): Promise<never> => {
    stopping = true;
    for (const close of closing.reverse()) {
      await close().catch((error: unknown) => log.error({ err: error }, 'could not stop cleanly'));
    }
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal while draining changes nothing: what is held is finished or its lease runs out.
      if (!stopping) void stop(0);
    });
  }
  try {
    const dataDir = resolve(config.HAULGATE_DATA);
    let url = config.DATABASE_URL;
    if (!url) {
      const postgres = await startEmbeddedPostgres({ dataDir, log: (line) => log.debug({ postgres: line }, 'postgres') });
      closing.push(() => postgres.stop());
      url = postgres.url;
    }
    const orm = await createOrm({ url, entities, migrations, poolSize: config.DATABASE_POOL });
    closing.push(() => orm.close(true));
    await migrate(orm);
    configureIdentity({
      issuer: config.HAULGATE_ISSUER,
      audience: config.HAULGATE_AUDIENCE,
      sessionSeconds: config.HAULGATE_SESSION_SECONDS,
      machineSeconds: config.HAULGATE_MACHINE_TOKEN_SECONDS,
      viewerCacheMs: config.HAULGATE_VIEWER_CACHE_MS,
    });
    const demo = config.HAULGATE_DEMO === 'on' ? await seedDemo(orm.em) : undefined;

    const waker = config.REDIS_URL
      ? beeWaker({
          name: 'haulgate-ingest',
          redisUrl: config.REDIS_URL,
          report: (state, error) =>
            log.warn({ err: error }, state === 'lost' ? 'Redis is lost; workers sweep until it is back' : 'Redis is back'),
        })
      : inProcessWaker();
    closing.push(() => waker.close());
    wakeWith(waker);
    let worker: IngestWorker | undefined;
    if (config.HAULGATE_ROLE !== 'web') {
      worker = startIngestWorker({
        em: orm.em,
        importers,
        waker,
        log,
        concurrency: config.HAULGATE_INGEST_CONCURRENCY,
        sweepEvery: config.HAULGATE_INGEST_SWEEP_MS,
      });
      const running = worker;
      closing.push(() => running.stop());
    }
    let web: Web | undefined;
    if (config.HAULGATE_ROLE !== 'worker') {
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
      web = await serve({ orm, log, port: config.PORT, host: config.HOST, root, version, isStopping: () => stopping });
      const serving = web;
      closing.push(() => serving.close());
    }
    const baseUrl = config.BASE_URL ?? `http://${config.HOST === '0.0.0.0' ? 'localhost' : config.HOST}:${web?.port ?? config.PORT}`;
    const access = keepDemoAccess(join(dataDir, 'demo.json'), baseUrl, demo);
    const ms = Math.round(performance.now() - started);
    log.info({ role: config.HAULGATE_ROLE, url: web ? baseUrl : undefined, ms }, 'ready');
    if (access && web) process.stdout.write(welcome(access, demo !== undefined));
  } catch (error) {
    stopping = true;
    for (const close of closing.reverse()) await close().catch(() => {});
    throw error;
  }
}

type Access = NonNullable<ReturnType<typeof readDemoAccess>>;

function welcome(access: Access, isNew: boolean): string {
  const admin = access.users[0];
  const lines = [
    '',
    `  Haulgate is ready: ${access.base_url}`,
    `    GraphQL   ${access.base_url}/graphql`,
    `    REST      ${access.base_url}/docs`,
  ];
  if (isNew) {
    lines.push(
      `    client    ${access.client_id}`,
      `    secret    ${access.client_secret}`,
      `    login     ${admin?.email}  ${admin?.password}  (${admin?.role})`,
      '',
      '  A first request:',
      `    TOKEN=$(curl -s ${access.base_url}/v1/auth/token -u ${access.client_id}:${access.client_secret} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      `    curl -s ${access.base_url}/v1/projects -H "Authorization: Bearer $TOKEN"`,
    );
  }
  lines.push('    (all demo credentials are in the data folder: demo.json)', '', '');
  return lines.join('\n');
}

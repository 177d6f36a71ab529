import 'reflect-metadata';
import { startIngestWorker } from '../../src/ingest/worker.ts';
import { beeWaker } from '../../src/platform/queue/bee-waker.ts';
import { inProcessWaker } from '../../src/platform/queue/in-process-waker.ts';
import { CHAOS_RETRIES, connect, disturbedImporters, LEASE_SECONDS } from './probe.ts';

/** A worker process as main.ts starts one, with shorter waits. It expects to be killed. */
const orm = await connect(6);
const say = (level: string) => (fields: object, message: string) => {
  const { err } = fields as { err?: Error };
  if (process.env.CHAOS_VERBOSE) console.log(process.pid, level, message, err?.message ?? JSON.stringify(fields));
};
const redisUrl = process.env.CHAOS_REDIS;
startIngestWorker({
  em: orm.em,
  importers: disturbedImporters,
  // The name that main.ts uses: the web process is the product itself.
  waker: redisUrl ? beeWaker({ name: 'haulgate-ingest', redisUrl, report: () => undefined }) : inProcessWaker(),
  log: { debug: () => undefined, info: say('info'), warn: say('warn'), error: () => undefined },
  concurrency: 3,
  batchSize: 40,
  leaseSeconds: LEASE_SECONDS,
  batchSeconds: process.env.CHAOS_POISON ? 3 : 10,
  sweepEvery: redisUrl ? 1000 : 300,
  retries: CHAOS_RETRIES,
});
process.send?.('ready');
// The worker must not survive a run that was killed itself.
process.on('disconnect', () => process.exit());

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { smtpTransport } from '../../platform/outgoing/mail.ts';
import { beeWaker } from '../../platform/queue/bee-waker.ts';
import { reachCollector } from '../../platform/tracing/open-tracing.ts';
import type { Config } from '../config.ts';
import { collectorOf, storageOf } from '../configured.ts';
import { type Finding, good, look, reasonOf, wrong } from './finding.ts';

/** Milliseconds that a service may take. */
const PATIENCE = 10_000;
/** The same of the collector, without which everything works. */
const PATIENCE_FOR_TRACES = 2_000;

/**
 * Examines the services that are configured: each is asked for what the product will ask it.
 * @param withFiles false if the folder is known to be unusable, so that nothing is tried in it
 */
export async function examineServices(config: Config, { withFiles }: { withFiles: boolean }): Promise<Finding[]> {
  const files = withFiles || config.HAULGATE_FILES === 's3' ? examineFiles(config) : [];
  return (await Promise.all([examineRedis(config), examineMail(config), examineCollector(config), files])).flat();
}

/** A wake that comes back shows that other processes would get it. */
async function examineRedis({ REDIS_URL: redisUrl }: Config): Promise<Finding[]> {
  if (!redisUrl) return [];
  const { promise, resolve: woken, reject } = Promise.withResolvers<void>();
  const waker = beeWaker({
    name: `haulgate-doctor-${randomUUID()}`,
    redisUrl,
    report: (state, error) => state === 'lost' && reject(error),
  });
  const late = setTimeout(() => reject(new Error('no answer')), PATIENCE);
  try {
    waker.listen(woken);
    waker.wake();
    await promise;
    return [good('REDIS_URL', 'A wake went through Redis.')];
  } catch (error) {
    return [
      wrong(
        'REDIS_URL',
        `No wake goes through Redis (${reasonOf(error)}). Nothing is lost, but workers look only every second or two. Start Redis, or correct the address.`,
      ),
    ];
  } finally {
    clearTimeout(late);
    await waker.close();
  }
}

/** Signs in at the mail server, and sends nothing. */
async function examineMail({ HAULGATE_SMTP_URL: url }: Config): Promise<Finding[]> {
  if (!url) return [];
  const transport = smtpTransport(url, PATIENCE);
  try {
    await transport.verify();
    return [good('HAULGATE_SMTP_URL', 'The mail server lets us in.')];
  } catch (error) {
    return [
      wrong(
        'HAULGATE_SMTP_URL',
        `The mail server does not let us in: ${reasonOf(error)}. Mails wait, and are given up after a while. Correct the address, or ask who runs the server.`,
      ),
    ];
  } finally {
    transport.close();
  }
}

/** Sends the collector an empty list of spans, as it will be sent others. */
async function examineCollector(config: Config): Promise<Finding[]> {
  if (!collectorOf(config)) return [];
  const about = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  try {
    await reachCollector(PATIENCE_FOR_TRACES);
    return [good(about, 'The collector takes traces.')];
  } catch (error) {
    return [
      look(
        about,
        `The collector takes no traces (${reasonOf(error)}). Everything else works without it. Name its port for OTLP over HTTP.`,
      ),
    ];
  }
}

/** Writes a file where files are kept, reads it and removes it. */
async function examineFiles(config: Config): Promise<Finding[]> {
  const about = config.HAULGATE_FILES === 's3' ? 'HAULGATE_S3_BUCKET' : 'HAULGATE_FILES';
  const folder = await mkdtemp(join(tmpdir(), 'haulgate-doctor-'));
  const [path, key] = [join(folder, 'file'), `doctor-${randomUUID()}`];
  try {
    const storage = await storageOf(config, resolve(config.HAULGATE_DATA));
    await writeFile(path, key);
    await storage.keep(key, path, { size: key.length, mimeType: 'text/plain' });
    let read = '';
    for await (const chunk of await storage.read(key)) read += String(chunk);
    await storage.remove(key);
    if (read !== key)
      return [
        wrong(
          about,
          'The storage returned something else than was written: it damages files. Name another one, and have this one examined.',
        ),
      ];
    return [good(about, 'A file could be written, read and removed.')];
  } catch (error) {
    return [
      wrong(
        about,
        `No file can be kept: ${reasonOf(error)}. ${config.HAULGATE_FILES === 's3' ? 'Compare bucket, endpoint and keys, and what the keys may do there (put, get, delete).' : 'Give this user the folder, or name another one by HAULGATE_DATA.'}`,
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

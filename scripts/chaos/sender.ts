import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { admit } from '../../src/ingest/ledger/admit.ts';
import { wakeWith } from '../../src/ingest/wake.ts';
import { beeWaker } from '../../src/platform/queue/bee-waker.ts';
import { type ChaosPayload, connect, contextOf, importers, payloadOf } from './probe.ts';

/** What the sender knows when it ends: nothing but what was acknowledged to it. */
export interface Acknowledged {
  records: string[];
  /** Per `kind key`, the last version; every version from 1 was acknowledged in order. */
  versions: Record<string, number>;
  repeated: number;
}

/** Keys of each lane that are sent again and again; the rest of the payloads have a key of their own. */
const HOT_KEYS = 60;
const LANES = 4;

const total = Number(process.env.CHAOS_PAYLOADS);
const companyIds = process.env.CHAOS_COMPANIES!.split(',');
const orm = await connect(LANES + 1);
const acknowledged: Acknowledged = { records: [], versions: {}, repeated: 0 };
let planned = 0;
let allowed = 0;
process.on('message', (fraction: number) => {
  allowed = Math.ceil(total * fraction);
});
process.on('disconnect', () => process.exit());
if (process.env.CHAOS_REDIS) wakeWith(beeWaker({ name: 'ingest', redisUrl: process.env.CHAOS_REDIS, report: () => undefined }));

await Promise.all(Array.from({ length: LANES }, (_, lane) => send(lane)));
writeFileSync(process.env.CHAOS_ACKNOWLEDGED!, JSON.stringify(acknowledged));
process.send!('done');

/** A lane owns its keys and waits for each answer, so that the versions of a key are sent in order. */
async function send(lane: number): Promise<void> {
  for (let own = 0; planned < total; ) {
    if (planned >= allowed) {
      await sleep(10);
      continue;
    }
    const importer = importers[Math.random() < 0.7 ? 0 : 1]!;
    const size = Math.min(1 + Math.floor(Math.random() * 60), total - planned);
    planned += size;
    const next = new Map<string, number>();
    const elements = Array.from({ length: size }, (): ChaosPayload => {
      const hot = Math.random() < 0.5;
      const key = hot ? `${lane}-hot-${Math.floor(Math.random() * HOT_KEYS)}` : `${lane}-${own++}`;
      const version = (next.get(key) ?? acknowledged.versions[`${importer.kind} ${key}`] ?? 0) + 1;
      next.set(key, version);
      return payloadOf(key, version, Math.random() < 0.01);
    });
    const receipt = await untilAcknowledged(() => admit(contextOf(orm, companyIds[lane % companyIds.length]!), importer, elements));
    acknowledged.records.push(...receipt.records.map((record) => record.id));
    for (const [key, version] of next) acknowledged.versions[`${importer.kind} ${key}`] = version;
  }
}

/** Repeats a request until it is answered. What was stored without an answer is then there twice: duplicates are the ledger's to find. */
async function untilAcknowledged<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch {
      acknowledged.repeated++;
      await sleep(100 + Math.random() * 200);
    }
  }
}

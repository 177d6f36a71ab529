import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportKind } from '../../src/ingest/importer.ts';
import { type ChaosPayload, KEY_FIELD, type Poison, payloadOf, picture, TRUCKS } from './payloads.ts';
import type { Tenant } from './world.ts';

/** The knowledge of the sender when it ends: only that which was acknowledged. */
export interface Acknowledged {
  records: string[];
  /** The last version of each `kind key`; every version from 1 was acknowledged in order. */
  versions: Record<string, number>;
  /** Files that were answered with 201 or 202. */
  files: { companyId: string; externalId: string; sha256: string }[];
  /** Record ids of poisonous payloads. */
  poisoned: string[];
  /** Requests sent again because no answer came. */
  repeated: number;
}

/** Keys of each lane that are sent again and again; all other payloads have new keys. */
const HOT_KEYS = 60;
const LANES = 4;
/** One request in so many is a file. */
const FILE_EVERY = 3;

const total = Number(process.env.CHAOS_PAYLOADS);
const base = process.env.CHAOS_URL!;
const poisonous = process.env.CHAOS_POISON === '1';
const tenants = JSON.parse(process.env.CHAOS_TENANTS!) as Tenant[];
const acknowledged: Acknowledged = { records: [], versions: {}, files: [], poisoned: [], repeated: 0 };
const tokens = new Map<string, string>();
let planned = 0;
let allowed = 0;
process.on('message', (fraction: number) => {
  allowed = Math.ceil(total * fraction);
});
process.on('disconnect', () => process.exit());

await Promise.all(Array.from({ length: LANES }, (_, lane) => send(lane)));
writeFileSync(process.env.CHAOS_ACKNOWLEDGED!, JSON.stringify(acknowledged));
process.send!('done');

/** A lane has keys of its own and waits for each answer, so that the versions of a key are sent in order. */
async function send(lane: number): Promise<void> {
  const tenant = tenants[lane % tenants.length]!;
  const orders: string[] = [];
  let own = 0;
  for (let turn = 1; planned < total; turn++) {
    if (planned >= allowed) {
      await sleep(10);
      continue;
    }
    if (!poisonous && turn % FILE_EVERY === 0) {
      planned++;
      // Some files come before their order, some after it, some at the same time.
      const ahead = `${lane}-${own + Math.floor(Math.random() * 100)}`;
      await sendFile(tenant, Math.random() < 0.5 ? ahead : (orders[Math.floor(Math.random() * orders.length)] ?? ahead));
      continue;
    }
    const kind: ImportKind = (['order', 'order', 'order', 'project', 'ticket'] as const)[Math.floor(Math.random() * 5)]!;
    const size = Math.min(1 + Math.floor(Math.random() * 60), total - planned);
    planned += size;
    const next = new Map<string, number>();
    const elements = Array.from({ length: size }, (): ChaosPayload => {
      // A ticket is created once; of orders and projects, half of the payloads are corrections. Poisonous payloads have keys of their own.
      const hot = !poisonous && kind !== 'ticket' && Math.random() < 0.5;
      const key = hot ? `${lane}-hot-${Math.floor(Math.random() * HOT_KEYS)}` : `${lane}-${own++}`;
      const version = (next.get(key) ?? acknowledged.versions[`${kind} ${key}`] ?? 0) + 1;
      next.set(key, version);
      if (kind === 'order') orders.push(key);
      const payload = payloadOf({ kind, key, version, truck: Math.floor(Math.random() * TRUCKS) });
      if (!poisonous && Math.random() < 0.01) payload.flaky = true;
      const poison = poisonous ? poisonFor(Math.random()) : undefined;
      return poison ? { ...payload, poison } : payload;
    });
    const { records } = (await untilAnswered(tenant, `/ingest/${kind}s`, JSON.stringify({ [`${kind}s`]: elements }))) as {
      records: { id: string; index: number; imported_for: string }[];
    };
    for (const { id, index, imported_for } of records) {
      if (elements[index]?.[KEY_FIELD[kind]] !== imported_for) throw new Error(`the receipt of ${imported_for} names another element`);
      if (elements[index].poison) acknowledged.poisoned.push(id);
      else acknowledged.records.push(id);
    }
    const parked = new Set(elements.flatMap((element) => (element.poison ? [element[KEY_FIELD[kind]]] : [])));
    for (const [key, version] of next) if (!parked.has(key)) acknowledged.versions[`${kind} ${key}`] = version;
  }
  // Orders of files that came without one are sent now.
  const unsent = [...new Set(acknowledged.files.map((file) => file.externalId))].filter(
    (key) => key.startsWith(`${lane}-`) && !orders.includes(key),
  );
  for (let i = 0; i < unsent.length; i += 50) {
    const keys = unsent.slice(i, i + 50);
    const elements = keys.map((key) => payloadOf({ kind: 'order', key, version: 1, truck: 0 }));
    const { records } = (await untilAnswered(tenant, '/ingest/orders', JSON.stringify({ orders: elements }))) as {
      records: { id: string }[];
    };
    acknowledged.records.push(...records.map(({ id }) => id));
    for (const key of keys) acknowledged.versions[`order ${key}`] = 1;
  }
}

/** 1 % throw, 0.1 % kill, 0.1 % never return. */
function poisonFor(chance: number): Poison | undefined {
  return chance < 0.01 ? 'throws' : chance < 0.011 ? 'kills' : chance < 0.012 ? 'hangs' : undefined;
}

async function sendFile(tenant: Tenant, externalId: string): Promise<void> {
  const bytes = picture(16 + Math.floor(Math.random() * 500));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const form = new FormData();
  form.set('external_id', externalId);
  form.set('file_attachable_type', 'Order');
  form.set('file', new Blob([bytes], { type: 'image/png' }), 'photo.png');
  await untilAnswered(tenant, '/ingest/files', form);
  acknowledged.files.push({ companyId: tenant.companyId, externalId, sha256 });
}

/**
 * Repeats a request until it is answered with 2xx. A request that was stored without an answer is then sent twice, and the product has to
 * detect the duplicates. @throws for what the product refuses
 */
async function untilAnswered(tenant: Tenant, path: string, body: string | FormData): Promise<unknown> {
  for (;;) {
    try {
      const answer = await fetch(base + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await tokenOf(tenant)}`,
          ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        body,
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      if (answer.ok) return (JSON.parse(text) as { data: unknown }).data;
      if (answer.status < 500 && answer.status !== 429) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      if (!(error instanceof TypeError || (error as Error).name === 'TimeoutError')) throw error;
    }
    acknowledged.repeated++;
    await sleep(100 + Math.random() * 200);
  }
}

async function tokenOf({ clientId, clientSecret }: Tenant): Promise<string> {
  const known = tokens.get(clientId);
  if (known) return known;
  const answer = await fetch(`${base}/v1/auth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!answer.ok) throw new TypeError(`no token: ${answer.status}`);
  const { access_token: token } = (await answer.json()) as { access_token: string };
  tokens.set(clientId, token);
  return token;
}

import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MikroORM } from '@mikro-orm/postgresql';
import { TRIGGERS } from '../../src/events/webhooks/triggers.ts';
import { type Arena, startProduct } from './arena.ts';
import { Caller } from './copy.ts';
import { drained, killInStep, type Storm, write } from './feed.ts';
import { keepUp } from './keep-up.ts';
import { makeTenants } from './world.ts';

/** Writers of each company, each of which waits for its answers. */
const WRITERS = 2;
/** Endpoints of a company: one takes everything, the other one fails a part of the first tries, in one way or the other. */
const ENDPOINTS = ['good', 'bad'] as const;
/** Of first tries at the bad endpoint, how many are answered with 503, and how many get no answer although they were taken. */
const FAILS = { refused: 0.02, cut: 0.02 } as const;
/** Milliseconds in which everything must be delivered after the last kill; a repetition comes after half a minute. */
const PATIENCE = 600_000;

interface Arrival {
  sequence: number;
  payload: { id: string; state?: string; notes?: string | null };
}

/** The messages that the endpoints of all companies got, in the order in which they came: by `<company> <endpoint> <record>`. */
class Receiver {
  readonly arrivals = new Map<string, Arrival[]>();
  count = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((req, res) => {
      void text(req).then(
        (body) => {
          const [, company, endpoint] = req.url!.split('/');
          const { attempt, payload, meta } = JSON.parse(body);
          const dice = endpoint === 'bad' && attempt === 1 ? Math.random() : 1;
          if (dice < FAILS.refused) return void res.writeHead(503).end();
          const key = `${company} ${endpoint} ${payload.id}`;
          const known = this.arrivals.get(key) ?? [];
          this.arrivals.set(key, known);
          known.push({ sequence: meta.sequence, payload });
          this.count++;
          if (dice < FAILS.refused + FAILS.cut) return void res.destroy();
          res.writeHead(204).end();
        },
        // Whoever sent it was killed.
        () => res.destroy(),
      );
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/**
 * Kills web, worker and PostgreSQL while commands and imports write, and looks whether each endpoint got each event of each record: the numbers of a
 * record are 1, 2, 3 and so on, first seen in this order, and the last one has the record as it is. @returns whether nothing is missing
 */
export async function webhooksUnderKills(arena: Arena, orm: MikroORM, storm: Storm): Promise<boolean> {
  const tenants = await makeTenants(orm);
  const open = { HAULGATE_WEBHOOK_PRIVATE_HOSTS: 'on' };
  const web = keepUp(1, () => startProduct(arena, 'web', open));
  const worker = keepUp(1, () => startProduct(arena, 'worker', open));
  const receiver = new Receiver();
  const base = await receiver.open();
  try {
    const callers = tenants.map((tenant) => new Caller(arena.webUrl, tenant));
    for (const [i, { companyId }] of tenants.entries())
      for (const endpoint of ENDPOINTS) {
        const answer = await callers[i]!.call('POST', `/v1/companies/${companyId}/webhook_subscriptions`, {
          url: `${base}/${companyId}/${endpoint}`,
          triggers: [...TRIGGERS],
        });
        if (typeof answer === 'number') throw new Error(`a subscription is answered with ${answer}`);
      }
    const progress = { writes: 0 };
    const writing = Promise.all(
      callers.flatMap((caller, i) =>
        Array.from({ length: WRITERS }, (_, lane) => write(caller, tenants[i]!, `${i}-${lane}`, storm.writes, progress)),
      ),
    );
    const postgres = await killInStep(arena, { web, worker }, progress, storm);
    await writing;
    await drained(orm);
    await drained(orm, 'select count(*)::int as open from webhook_delivery where due_at is not null', PATIENCE);
    console.log(`${progress.writes} writes, ${storm.kills} kills (${postgres} of PostgreSQL)`);
    return await isComplete(orm, receiver);
  } finally {
    web.stop();
    worker.stop();
    receiver.close();
  }
}

async function isComplete(orm: MikroORM, { arrivals, count }: Receiver): Promise<boolean> {
  const ask = <R extends object>(sql: string) => orm.em.getConnection().execute<R[]>(sql);
  const numbered = await ask<{ id: string; company: string; last: string }>(
    'select subject_id as id, company_id as company, sequence::text as last from webhook_record',
  );
  const orders = new Map(
    (await ask<{ id: string; state: string; notes: string | null }>('select id, state, notes from orders')).map((one) => [one.id, one]),
  );
  const wrong: string[] = [];
  let [events, again] = [0, 0];
  for (const { id, company, last } of numbered)
    for (const endpoint of ENDPOINTS) {
      const got = arrivals.get(`${company} ${endpoint} ${id}`) ?? [];
      const seen = [...new Set(got.map(({ sequence }) => sequence))];
      events += Number(last);
      again += got.length - seen.length;
      const [missing] = Array.from({ length: Number(last) }, (_, i) => i + 1).filter((sequence) => !seen.includes(sequence));
      if (missing !== undefined) wrong.push(`${endpoint} endpoint: number ${missing} of ${last} of ${id} is missing`);
      else if (seen.some((sequence, i) => sequence !== i + 1)) wrong.push(`${endpoint} endpoint: ${id} came as ${seen.join(', ')}`);
      const [order, latest] = [orders.get(id), got.find(({ sequence }) => sequence === Number(last))?.payload];
      if (order && latest && (order.state !== latest.state || order.notes !== latest.notes))
        wrong.push(`${endpoint} endpoint: the last of order ${id} is not as the order is`);
    }
  console.log(`${events} events for ${numbered.length} records, ${count} arrived, ${again} of them again; ${wrong.length} are wrong`);
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
  return wrong.length === 0 && events > 0;
}

import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { entities, registerRooms } from '../../src/app/rooms.ts';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { checkInvariants, describeChecked } from '../../src/reporting/invariants/check-invariants.ts';

/** Functions that undo what a drill has made, in the order in which it was made. */
export type Undo = (() => Promise<unknown> | unknown)[];

/** Milliseconds that a busy machine may take for a step. */
const PATIENCE = 300_000;

const started = performance.now();
/** Prints a step with the seconds since the drill began. */
export const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

/** Makes a folder that is removed with the drill, and that PostgreSQL's user may enter and, if asked, write. */
export function folderFor(name: string, undo: Undo, shared = false): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'haulgate-drill-')), name);
  mkdirSync(folder);
  for (const path of [join(folder, '..'), folder]) chmodSync(path, shared ? 0o777 : 0o711);
  undo.push(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  return folder;
}

/** Performs a drill, and undoes what it has made, last things first, however it ends. */
export async function performed(drill: (undo: Undo) => Promise<boolean>): Promise<boolean> {
  const undo: Undo = [];
  try {
    return await drill(undo);
  } finally {
    for (const one of undo.reverse()) await one();
  }
}

/** The id and secret of a machine client, and its company. */
export interface Login {
  companyId: string;
  clientId: string;
  clientSecret: string;
}

/** Makes a company with a machine client that may do everything. */
export const makeSender = async (databaseUrl: string, legalName: string): Promise<Login> =>
  (await makeSenders(databaseUrl, legalName, 1))[0]!;

/** Makes a company with several machine clients that may do everything. */
export async function makeSenders(databaseUrl: string, legalName: string, count: number): Promise<Login[]> {
  registerRooms();
  const orm = await createOrm({ url: databaseUrl, entities });
  try {
    const em = orm.em.fork();
    const company = Object.assign(new Company(), { legalName, platformId: 'D12111', timeZone: 'America/Chicago', currency: 'USD' });
    em.persist(company);
    const made = Array.from({ length: count }, (_, at) =>
      makeMachineClient(em, company, { name: `drill ${at}`, permissions: PERMISSIONS }),
    );
    await em.flush();
    return made.map(({ client, clientSecret }) => ({ companyId: company.id, clientId: client.clientId, clientSecret }));
  } finally {
    await orm.close(true);
  }
}

/** Ends a process as a cut of its power would, unless it has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await ended;
}

/** A sender that goes on until it is stopped, one batch after the other, and remembers what was acknowledged. */
export class Sender {
  /** External ids of orders by the time of their acknowledgement, in milliseconds of this machine. */
  readonly acknowledged: { externalId: string; at: number }[] = [];
  /** The number of requests that were not acknowledged, by status; 0 without an answer. Nobody promised anything. */
  readonly refused: Record<number, number> = {};
  /** The number of these that said nothing of when to try again. */
  withoutRetryAfter = 0;
  #running = true;
  readonly #done: Promise<void>;

  /** @param name what its ids begin with */
  constructor(base: () => URL, token: string, perBatch = 10, name = 'DRILL') {
    this.#done = this.#run(base, token, perBatch, name);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(base: () => URL, token: string, perBatch: number, name: string): Promise<void> {
    for (let batch = 0; this.#running; batch++) {
      const ids = Array.from({ length: perBatch }, (_, at) => `${name}-${batch}-${at}`);
      const orders = ids.map((id) => ({
        external_id: id,
        load_at: '2026-12-01T07:00',
        customer: { external_id: 'C-1', name: 'Hill Country Paving' },
      }));
      const status = await fetch(new URL('/ingest/orders', base()), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orders }),
      }).then(
        async (answer) => {
          await answer.body?.cancel();
          if (answer.status !== 202 && !answer.headers.has('retry-after')) this.withoutRetryAfter++;
          return answer.status;
        },
        () => 0,
      );
      if (status === 202) this.acknowledged.push(...ids.map((externalId) => ({ externalId, at: Date.now() })));
      else {
        this.refused[status] = (this.refused[status] ?? 0) + 1;
        await sleep(100);
      }
      await sleep(20);
    }
  }
}

/** Resolves when the sender has so many acknowledgements. @throws Error if it takes too long */
export async function reached(sender: Sender, count: number): Promise<void> {
  for (const end = performance.now() + PATIENCE; sender.acknowledged.length < count; await sleep(50))
    if (performance.now() > end) throw new Error(`only ${sender.acknowledged.length} orders were acknowledged`);
}

/** Says whether the invariants of all books hold, and which ones do not. */
export async function booksAgree(client: pg.Client): Promise<boolean> {
  const checked = await checkInvariants(async (sql) => (await client.query<object>(sql)).rows);
  const broken = checked.filter(({ count }) => count > 0);
  if (broken.length > 0) process.stdout.write(describeChecked(broken));
  say(broken.length === 0 ? `all ${checked.length} invariants of the books hold` : `${broken.length} invariants are broken`);
  return broken.length === 0;
}

/** Resolves when all of the orders exist, no record waits any more, or no further order was made for a long time. @returns how many of the orders exist */
export async function settled(client: pg.Client, externalIds: readonly string[]): Promise<number> {
  let most = 0;
  for (let end = performance.now() + PATIENCE; ; await sleep(1_000)) {
    const { rows } = await client.query<{ open: number; made: number }>(
      `select (select count(*)::int from import_task) as open, (select count(*)::int from orders where external_id = any($1)) as made`,
      [externalIds],
    );
    const { open, made } = rows[0]!;
    if (open === 0 || made === externalIds.length || performance.now() > end) return made;
    if (made > most) end = performance.now() + PATIENCE;
    most = Math.max(most, made);
  }
}

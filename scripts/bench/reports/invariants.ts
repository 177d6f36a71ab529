import pg from 'pg';
import { type Checked, checkInvariants, seeOneMoment } from '../../../src/reporting/invariants/check-invariants.ts';
import { closing } from '../start.ts';
import type { Measuring } from './measuring.ts';
import { backendsOf, processorTime } from './processor-time.ts';

/** Checks the invariants as `npm run invariants` does, with two connections of the owner. */
export async function measureCommand(url: string, rounds: number, say: (line: string) => void): Promise<void> {
  const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })] as const;
  closing.push(async () => {
    for (const client of clients) await client.end();
  });
  for (const client of clients) await client.connect();
  const [first, second] = clients.map((client) => async (sql: string) => (await client.query<object>(sql)).rows);
  const pids = clients.map((client) => (client as unknown as { processID: number }).processID);
  for (let round = 0; round < rounds; round++) {
    const [began, used] = [performance.now(), processorTime(pids)];
    await seeOneMoment([first!, second!]);
    const checked = await checkInvariants(first!, second!);
    for (const ask of [first!, second!]) await ask('commit');
    const all = performance.now() - began;
    say(`invariants: ${all.toFixed(0)} ms (target under 5000), ${processorTime(pids) - used} ms of processor time: ${slowestOf(checked)}`);
    sayBroken(checked, say);
  }
}

/** Asks `GET /ops/invariants`, which reads as a purpose, next to whatever else the product does. */
export async function measureEndpoint({ pool, base, child, rounds, say }: Measuring, administrator: string): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const backends = await backendsOf(pool);
    const [began, used] = [performance.now(), processorTime([child.pid!, ...backends])];
    const answer = await fetch(new URL('/ops/invariants', base), { headers: { authorization: `Bearer ${administrator}` } });
    if (answer.status === 503) {
      // As any request that takes longer than one may; the command takes as long as it takes.
      say(`GET /ops/invariants: answered 503 after ${(performance.now() - began).toFixed(0)} ms`);
      continue;
    }
    if (!answer.ok) throw new Error(`/ops/invariants answers ${answer.status} ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: Checked[] };
    const took = performance.now() - began;
    const more = (await backendsOf(pool)).filter((pid) => !backends.includes(pid));
    const all = processorTime([child.pid!, ...backends, ...more]) - used;
    say(`GET /ops/invariants: ${took.toFixed(0)} ms (target under 5000), ${all} ms of processor time: ${slowestOf(data)}`);
    sayBroken(data, say);
  }
}

const slowestOf = (checked: readonly Checked[]): string =>
  checked
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, 4)
    .map(({ name, milliseconds }) => `${name} ${milliseconds}`)
    .join(', ');

function sayBroken(checked: readonly Checked[], say: (line: string) => void): void {
  const broken = checked.filter(({ count }) => count > 0).map(({ name, count }) => `${name} ${count}`);
  if (broken.length > 0) say(`  broken in these data: ${broken.join(', ')}`);
}

import type pg from 'pg';
import type { Config } from '../config.ts';
import { unworkedQueues } from '../configured.ts';
import { QUEUES } from '../queues.ts';
import { type Finding, good, wrong } from './finding.ts';

/** Rows that are counted of a queue. */
const MOST = 10_000;

/** Due work that nobody takes means that no worker runs, or that it fails. */
export async function examineQueues(config: Config, pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const leftOut = unworkedQueues(config);
  for (const { queue, what, table, rows, patience } of QUEUES) {
    if (leftOut.includes(queue)) continue;
    const { rows: known } = await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
    if (!known[0]!.there) continue;
    const { rows: found } = await pool.query<{ count: number; seconds: number }>(
      `select count(*)::int as count, coalesce(extract(epoch from now() - min(due))::int, 0) as seconds from (${rows(MOST)}) t`,
    );
    const { count, seconds } = found[0]!;
    findings.push(
      seconds > patience
        ? wrong(
            'workers',
            `${count}${count === MOST ? ' or more' : ''} ${what} are due, the oldest for ${seconds} s: no worker runs, or the log says why it fails.`,
          )
        : good(
            'workers',
            `${count === 0 ? 'No' : count} ${what} ${count === 0 ? 'are' : 'wait,'} ${count === 0 ? 'due' : `the oldest for ${seconds} s`}.`,
          ),
    );
  }
  return findings;
}

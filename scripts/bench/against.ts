import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { SCALE } from './data.ts';
import { type InTurns, measureInTurns, type Ratio, type Side } from './in-turns.ts';
import { closing } from './start.ts';
import { type DeepPage, workloadsOf } from './workloads.ts';

/** A product that another process prepared, with the generated companies in its own database. */
interface Prepared {
  url: string;
  pid: number;
  database: string;
  token: string;
  companyId: string;
  pages: DeepPage[];
}

const MARK = 'prepared ';

/** Prints where a prepared product is, and keeps it until the standard input ends. */
export async function serve(prepared: Prepared): Promise<void> {
  process.stdout.write(`${MARK}${JSON.stringify(prepared)}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
}

/**
 * Measures this commit and another one in turns, each with its own database of the same generated rows: the cost of a change, even on a
 * machine that is slower in one minute than in the next.
 * @param folder a checkout of the other commit, after `npm ci` and `npm run build`; its bench must know `--serve`
 */
export async function measureAgainst(
  folder: string,
  only: ReadonlySet<string>,
  turns: Pick<InTurns, 'rounds' | 'seconds' | 'clients' | 'say'>,
): Promise<Record<string, Ratio>> {
  const sides: Side[] = [];
  for (const [name, cwd] of [['here', process.cwd()] as const, ['there', folder] as const]) {
    turns.say(`preparing ${name} (${cwd})`);
    const child = spawn(
      process.execPath,
      [
        '--import',
        './scripts/typescript.mjs',
        'scripts/bench.ts',
        '--serve',
        '--only',
        [...only].join(),
        ...(SCALE === 1 ? [] : ['--scale', String(SCALE)]),
      ],
      {
        cwd,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    closing.push(() => end(child));
    const { url, pid, database, token, companyId, pages } = await preparedBy(child);
    const pool = new pg.Pool({ connectionString: database, max: 2 });
    closing.push(() => pool.end());
    sides.push({ name, base: new URL(url), pid, token, companyId, pool, workloads: workloadsOf(token, pages) });
  }
  return measureInTurns({ sides: [sides[0]!, sides[1]!], only, ...turns });
}

async function preparedBy(child: ChildProcess): Promise<Prepared> {
  for await (const line of createInterface({ input: child.stdout! }))
    if (line.startsWith(MARK)) return JSON.parse(line.slice(MARK.length)) as Prepared;
  throw new Error(`the bench of the other commit ended with ${child.exitCode} before it was prepared; does it know --serve?`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin!.end();
  await ended;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { Transaction } from '../../context.ts';
import { running } from '../../worlds/present-time.ts';
import { isSandbox } from '../../worlds/sandbox-ids.ts';
import { asCompanies, currentScope, definePurpose, type Purpose, runAsPurpose } from '../scope.ts';
import { poolOf } from '../sql.ts';

/**
 * The time by which a company is judged is that of the world, except for sandboxes, whose clock their people move (docs/sandbox.md). What waits in a
 * queue, and what expires so that nobody gets in, keeps to the time of the world.
 */
export const PRESENT = 'present_time()';

/** For looks at all companies: whether a company has the time of the running statement. See `inEachTime`. */
export const inPresentTime = (company: string): string => `in_present_time(${company})`;

/** The sandbox whose time holds in the running code. */
export function sandboxInScope(): string | undefined {
  const [company] = currentScope().companyIds;
  return company !== undefined && isSandbox(company) ? company : undefined;
}

/** Has the running code know how far its sandbox's clock is ahead; for real companies nothing is asked. */
export async function learnTime(em: EntityManager): Promise<void> {
  const clock = running.getStore();
  if (!clock || !sandboxInScope()) return;
  const pool = await poolOf(em);
  // For a purpose: what the caller reads after it need not follow it to the primary.
  const { rows } = await runAsPurpose(CLOCKS, () => pool.query<{ ahead: number }>(AHEAD));
  clock.ahead = rows[0]!.ahead;
}

const AHEAD = 'select (extract(epoch from present_time() - now()) * 1000)::float8 as ahead';

/** Runs background work in the time of a company that is in scope, where it judges outside of transactions. */
export const inTimeOf = <T>(em: EntityManager, work: () => Promise<T>): Promise<T> =>
  sandboxInScope() ? running.run({ ahead: 0 }, () => learnTime(em).then(work)) : work();

/** The time of the world, for what is due in queues and for what expires. */
export const worldTime = ({ now, world }: Transaction): Date => world ?? now;

/** When the world has the time that a company is to have. */
export const inWorldTime = (tx: Transaction, at: Date): Date => new Date(at.getTime() - tx.now.getTime() + worldTime(tx).getTime());

/** Which companies have a time of their own. */
export const CLOCKS = definePurpose('sandbox_clocks', { sandbox: ['select (id, ends_at)'] });

/**
 * Looks across companies for what is due: once at all real ones, and once at each sandbox in its time. The statements compare with `PRESENT` and take
 * companies that meet `inPresentTime`. A sandbox whose look fails does not keep the others waiting.
 * @returns the sum
 */
export async function inEachTime(em: EntityManager, purpose: Purpose, look: () => Promise<number>): Promise<number> {
  let sum = await runAsPurpose(purpose, look);
  const pool = await poolOf(em);
  const { rows } = await runAsPurpose(CLOCKS, () => pool.query<{ id: string }>('select id from sandbox where ends_at > now() order by id'));
  const failed: unknown[] = [];
  for (const { id } of rows)
    try {
      sum += await asCompanies([id], () => runAsPurpose(purpose, look));
    } catch (error) {
      failed.push(error);
    }
  if (failed.length > 0) throw failed.length === 1 ? failed[0] : new AggregateError(failed, 'looks at sandboxes failed');
  return sum;
}

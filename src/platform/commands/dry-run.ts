import type { Context } from '../context.ts';
import { type TxContext, transact } from './transact.ts';

class DryRunResult extends Error {
  constructor(readonly result: unknown) {
    super('rehearsed');
  }
}

/**
 * Does a command and takes it back: `look` sees what it made, and nothing stays. What the command refuses, it refuses here.
 * @param look runs in the transaction after the command
 */
export async function dryRun<T, R>(
  ctx: Context,
  command: (tx: TxContext) => Promise<T>,
  look: (tx: TxContext, made: T) => Promise<R>,
): Promise<R> {
  try {
    await transact({ ...ctx, once: undefined }, async (tx) => {
      const made = await command(tx);
      await tx.em.flush();
      throw new DryRunResult(await look(tx, made));
    });
  } catch (error) {
    if (error instanceof DryRunResult) return error.result as R;
    throw error;
  }
  throw new Error('a rehearsal is taken back, it never ends');
}

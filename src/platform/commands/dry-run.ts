import type { Context } from '../context.ts';
import { type TxContext, transact } from './transact.ts';

class DryRunResult extends Error {
  constructor(readonly result: unknown) {
    super('dry run');
  }
}

/**
 * Runs a command, returns what `look` reads of its effects, and rolls it back.
 * @throws what the command throws
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
  throw new Error('a dry run is rolled back, so this line is never reached');
}

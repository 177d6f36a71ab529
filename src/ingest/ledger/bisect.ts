import type { Records } from '../../platform/commands/records.ts';
import { type ErrorItem, HaulgateError } from '../../platform/errors.ts';
import { guessRefused } from '../apply/guesses.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome, Problem } from '../importer.ts';
import { faultOf } from './retries.ts';

/**
 * unique_violation and foreign_key_violation (PostgreSQL, appendix A): a key was taken, or a record was merged, by a transaction that is committed
 * by then.
 */
const OVERTAKEN = new Set(['23505', '23503']);

/**
 * Applies a batch. If the importer throws, it rolls back to the savepoint and applies the halves, down to the single record that throws.
 * The outbox and audit rows of the failed half are thrown away with it. A record whose key was taken, or that names what was merged, by a concurrent
 * transaction is applied once more by itself: the other one is committed by then, and found. A record for which something was guessed although its sender wants no
 * guesses fails.
 * @returns one outcome per record id
 * @throws errors of the transaction, not of a record: a lost connection or race
 */
export async function applyBisecting(
  tx: BatchTx,
  importer: Importer,
  records: ClaimedRecord[],
  collected: Map<ClaimedRecord, Records>,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const takeBack = async (part: readonly ClaimedRecord[]): Promise<void> => {
    await tx.query('rollback to savepoint batch');
    await tx.query('release savepoint batch');
    tx.em.clear();
    for (const record of part) collected.delete(record);
  };
  const apply = async (part: ClaimedRecord[], again = false): Promise<void> => {
    if (part.length === 0) return;
    await tx.query('savepoint batch');
    try {
      const answers = await importer.apply(tx, part);
      if (answers.length !== part.length) throw new Error(`importer answered ${answers.length} outcomes for ${part.length} records`);
      await tx.em.flush();
      const refused = part.filter((record, i) => {
        const failure = guessRefused(record, answers[i]!);
        if (failure) outcomes.set(record.id, failure);
        return failure !== undefined;
      });
      if (refused.length === 0) {
        await tx.query('release savepoint batch');
        for (const [i, record] of part.entries()) outcomes.set(record.id, answers[i]!);
        return;
      }
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'lost-connection' || fault === 'lost-race') throw error;
      await takeBack(part);
      if (part.length === 1) {
        if (OVERTAKEN.has(String((error as { code?: unknown }).code)) && !again) return apply(part, true);
        outcomes.set(part[0]!.id, failureOf(error));
        return;
      }
      const middle = Math.ceil(part.length / 2);
      await apply(part.slice(0, middle));
      await apply(part.slice(middle));
      return;
    }
    // A sender who wants no guesses gets none: what was written is taken back, and the others are applied without it.
    await takeBack(part);
    await apply(part.filter(({ id }) => !outcomes.has(id)));
  };
  await apply(records);
  return outcomes;
}

/** Returns the error of a single record. Only domain errors are shown; any other is `internal` and goes to the log. */
function failureOf(error: unknown): Failure {
  if (error instanceof HaulgateError && error.status < 500 && error.items[0]) {
    const [first, ...more] = error.items.map(describeError);
    return { state: 'failed', ...first!, more };
  }
  if (error instanceof HaulgateError && (error.status === 503 || error.status === 429))
    return { state: 'failed', code: error.code, pointer: '', key: 'import_database', transient: true };
  if (faultOf(error) === 'transient') return { state: 'failed', code: 'database', pointer: '', key: 'import_database', transient: true };
  return { state: 'failed', code: 'internal', pointer: '', key: 'import_internal', cause: error };
}

function describeError(item: ErrorItem): Problem {
  const pointer = item.field ? `/${item.field.split('.').map(snakeCase).join('/')}` : '';
  return { code: item.key, pointer, key: item.key, params: item.params };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

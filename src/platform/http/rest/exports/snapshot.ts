import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../../../context.ts';
import { readingWithin } from '../../../database/sql.ts';
import { PageSequence } from '../../../read/sequence/page-sequence.ts';

/**
 * Runs reads that all see the database as it is at the first one, in a transaction that cannot write. It holds one connection until `work`
 * ends.
 * @param rowsAtOnce records that a page may have here
 * @param work gets a function that makes a context without memory of what was read before, for each part of a long read
 */
export function inSnapshot<C extends Context, T>(ctx: C, rowsAtOnce: number, work: (context: () => C) => Promise<T>): Promise<T> {
  const run = (em: EntityManager) => {
    const sequence = new PageSequence(em);
    return work(() => {
      const reading = { ...ctx, em: readingWithin(em), memo: new Map(), rowsAtOnce, sequence };
      reading.read = ctx.read.within(reading);
      return reading;
    });
  };
  return ctx.em.fork({ clear: true }).transactional((em) => run(em as EntityManager), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  });
}

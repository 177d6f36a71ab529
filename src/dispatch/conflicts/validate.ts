import { Field, ObjectType } from 'type-graphql';
import { rehearse } from '../../platform/commands/rehearse.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';
import { toldProblems } from '../../platform/http/rest/envelope.ts';
import { conflictsOf, PlanConflict } from './job-conflicts.ts';

/** What a write would be told: it would be refused for anything blocking, and done in spite of warnings. */
@ObjectType({ simpleResolvers: true })
export class Validation {
  @Field(() => Boolean, { description: 'The write would be done.' }) valid!: boolean;
  @Field(() => [PlanConflict]) conflicts!: PlanConflict[];
}

/**
 * Does a write, looks at its jobs, and takes it back (DOMAIN 1.2 guards, 3.4 "validate early"). Nothing is sent, nobody is told.
 * @param jobsOf the jobs whose plan the write makes or changes
 * @throws Missing and Denied as the write would
 */
export async function validate<T>(
  ctx: Context,
  write: (tx: TxContext) => Promise<T>,
  jobsOf: (tx: TxContext, made: T) => string[] | Promise<string[]>,
): Promise<Validation> {
  try {
    const conflicts = await rehearse(ctx, write, async (tx, made) => {
      tx.memo.delete('jobConflicts');
      return (await conflictsOf(tx).loadMany(await jobsOf(tx, made))).flatMap((one) => {
        if (one instanceof Error) throw one;
        return one;
      });
    });
    return { valid: true, conflicts };
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Conflict)) throw error;
    const conflicts = toldProblems(error, ctx.language, 'Job').map((one) => ({ ...one, severity: 'blocking' as const, relatedId: null }));
    return { valid: false, conflicts };
  }
}

/** The jobs of an order that are still open. */
export async function jobsOfOrder(tx: TxContext, order: { id: string }): Promise<string[]> {
  return (await queryIn<{ id: string }>(tx.em, 'select id from job where order_id = $1 order by number', [order.id])).map(({ id }) => id);
}

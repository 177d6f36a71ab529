import { Field, ObjectType } from 'type-graphql';
import { dryRun } from '../../platform/commands/dry-run.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, HaulgateError, Invalid } from '../../platform/errors.ts';
import { describeProblems } from '../../platform/http/rest/envelope.ts';
import { conflictsOf, PlanConflict } from './job-conflicts.ts';
import { leaveOut, type Overriding, type Substitutes } from './leave-out.ts';

/** The answer that a write would get: it is refused if anything is blocking, and done in spite of warnings. */
@ObjectType({ simpleResolvers: true })
export class Validation {
  @Field(() => Boolean, { description: 'True if the write would succeed.' }) valid!: boolean;
  @Field(() => [PlanConflict]) conflicts!: PlanConflict[];
}

/** A write is tried again so many times without its refused parts. Each attempt may reveal another error. */
const TRIES = 4;

/**
 * Carries out a write, reads the conflicts of its jobs, and rolls it back (DOMAIN 1.2 guards, 3.4 "validate early"). Nothing is sent and
 * nobody is notified. A refused write is tried again without the refused fields and with compliance documents overridden, to find the
 * warnings that would follow.
 * @param jobsOf the jobs whose plan the write creates or changes
 * @param substitutes replacements for required fields
 * @throws Missing and Denied as the write would
 */
export async function validate<T, I extends object>(
  ctx: Context,
  input: I,
  write: (tx: TxContext, input: I & Overriding) => Promise<T>,
  jobsOf: (tx: TxContext, made: T) => string[] | Promise<string[]>,
  substitutes: Substitutes<I> = {},
): Promise<Validation> {
  const attempt = (given: I) =>
    dryRun(
      ctx,
      (tx) => write(tx, given),
      async (tx, made) => {
        tx.memo.delete('jobConflicts');
        return (await conflictsOf(tx).loadMany(await jobsOf(tx, made))).flatMap((one) => {
          if (one instanceof Error) throw one;
          return one;
        });
      },
    );
  try {
    return { valid: true, conflicts: await attempt(input) };
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Conflict)) throw error;
    const conflicts = describeProblems(error, ctx.language, 'Job').map((one) => ({
      ...one,
      severity: 'blocking' as const,
      relatedId: null,
    }));
    const warnings = error instanceof Invalid ? await warningsOfRest(error, input, attempt, substitutes) : [];
    const isNews = ({ code, message }: PlanConflict) => !conflicts.some((one) => one.code === code && one.message === message);
    return { valid: false, conflicts: [...conflicts, ...warnings.filter(isNews)] };
  }
}

/** Returns the warnings about what is left of a refused input; none if the write cannot run without the refused parts. */
async function warningsOfRest<I extends object>(
  refused: Invalid,
  input: I,
  attempt: (given: I) => Promise<PlanConflict[]>,
  substitutes: Substitutes<I>,
): Promise<PlanConflict[]> {
  let left: I | undefined = input;
  let { items } = refused;
  for (let tries = 0; tries < TRIES; tries++) {
    left = await leaveOut(left, items, substitutes);
    if (!left) return [];
    try {
      return await attempt(left);
    } catch (error) {
      if (!(error instanceof HaulgateError)) throw error;
      if (!(error instanceof Invalid)) return [];
      items = error.items;
    }
  }
  return [];
}

/** Returns the ids of the open jobs of an order. */
export async function jobsOfOrder(tx: TxContext, order: { id: string }): Promise<string[]> {
  return (await queryIn<{ id: string }>(tx.em, 'select id from job where order_id = $1 order by number', [order.id])).map(({ id }) => id);
}

import { Field, ObjectType } from 'type-graphql';
import { rehearse } from '../../platform/commands/rehearse.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, type ErrorItem, HaulgateError, Invalid } from '../../platform/errors.ts';
import { toldProblems } from '../../platform/http/rest/envelope.ts';
import { conflictsOf, PlanConflict } from './job-conflicts.ts';

/** What a write would be told: it would be refused for anything blocking, and done in spite of warnings. */
@ObjectType({ simpleResolvers: true })
export class Validation {
  @Field(() => Boolean, { description: 'The write would be done.' }) valid!: boolean;
  @Field(() => [PlanConflict]) conflicts!: PlanConflict[];
}

/**
 * Does a write, looks at its jobs, and takes it back (DOMAIN 1.2 guards, 3.4 "validate early"). Nothing is sent, nobody is told. What is
 * refused is tried again without the fields that are to blame, with papers overridden, for the warnings that whoever mends it would get.
 * @param jobsOf the jobs whose plan the write makes or changes
 * @param partial any field may be left out
 * @throws Missing and Denied as the write would
 */
export async function validate<T, I extends object>(
  ctx: Context,
  input: I,
  write: (tx: TxContext, input: I) => Promise<T>,
  jobsOf: (tx: TxContext, made: T) => string[] | Promise<string[]>,
  { partial = false } = {},
): Promise<Validation> {
  const rehearsed = (given: I) =>
    rehearse(
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
    return { valid: true, conflicts: await rehearsed(input) };
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Conflict)) throw error;
    const conflicts = toldProblems(error, ctx.language, 'Job').map((one) => ({ ...one, severity: 'blocking' as const, relatedId: null }));
    const rest = error instanceof Invalid ? withoutBlamed(input, error.items, partial) : undefined;
    const warnings = rest ? await rehearsed(rest).catch(onlyRefused) : [];
    const isNews = ({ code, message }: PlanConflict) => !conflicts.some((one) => one.code === code && one.message === message);
    return { valid: false, conflicts: [...conflicts, ...warnings.filter(isNews)] };
  }
}

/** The input without what was refused of it; undefined when nothing else can be tried. */
function withoutBlamed<I extends object>(input: I, items: readonly ErrorItem[], partial: boolean): I | undefined {
  const isPapers = ({ key }: ErrorItem) => key.startsWith('compliance_');
  const blamed = new Set(items.filter((item) => !isPapers(item)).map(({ field }) => field.split('.')[0]!));
  if ([...blamed].some((field) => !partial || (input as Record<string, unknown>)[field] === undefined)) return undefined;
  const left = Object.entries(input).filter(([field, value]) => value !== undefined && !blamed.has(field));
  if (left.length === 0) return undefined;
  const override = items.some(isPapers) ? { complianceOverride: true } : {};
  return Object.assign(Object.create(Object.getPrototypeOf(input)), Object.fromEntries(left), override);
}

/** The rest may be refused as well, by whoever answers first: then there is nothing more to tell. */
function onlyRefused(error: unknown): PlanConflict[] {
  if (error instanceof HaulgateError) return [];
  throw error;
}

/** The jobs of an order that are still open. */
export async function jobsOfOrder(tx: TxContext, order: { id: string }): Promise<string[]> {
  return (await queryIn<{ id: string }>(tx.em, 'select id from job where order_id = $1 order by number', [order.id])).map(({ id }) => id);
}

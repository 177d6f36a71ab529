import { Concerned, type Watched } from '../../platform/commands/concerned.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { type Decimal, decimalText } from '../../platform/decimal.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import type { Project, ProjectWage } from '../model/project.entity.ts';
import { rateStatement } from './rate-statement.ts';

interface WageInput {
  classification: string;
  base: Decimal;
  fringe: Decimal;
  credit?: Decimal | null;
}
/** The wages of a project in an input. */
export interface WagesInput {
  prevailingWage?: boolean | null;
  wages?: WageInput[] | null;
}

/** Sets the wages that a project prescribes; each classification has one. Absent fields stay. */
export function applyWages(project: Project, { prevailingWage, wages }: WagesInput, { model, items }: ErrorCollector): void {
  if (prevailingWage !== undefined) project.prevailingWage = prevailingWage ?? false;
  if (wages === undefined) return;
  const known = new Set<string>();
  for (const [i, { classification, fringe, credit }] of (wages ?? []).entries()) {
    const report = (field: string, key: string) => items.push({ model, field: `wages.${i}.${field}`, key });
    const name = foldText(classification.trim());
    if (name === '') report('classification', 'required');
    else if (known.has(name)) report('classification', 'given_twice');
    known.add(name);
    if (credit?.gt(fringe)) report('credit', 'more_than_fringe');
  }
  project.wages = (wages ?? []).map(
    ({ classification, base, fringe, credit }): ProjectWage => ({
      ...{ classification: classification.trim(), base: decimalText(base), fringe: decimalText(fringe) },
      credit: credit ? decimalText(credit) : '0',
    }),
  );
}

/** On what wages that are not known yet may depend. */
export const WAGES: Watched = { Project: new Set(['prevailing_wage', 'wages']), User: new Set(['wage_classification']) };

// Rates of finished work stay; one that was missing is noted when it is known.
const NOTE_MISSING = namedStatement(`with n as materialized (
    select x.id, (select to_jsonb(r) from (${rateStatement('driver', 'x.id')}) r) as noted from job x
    where (x.driver_id = any($1::uuid[]) or x.project_id = any($2::uuid[])) and x.state <> 'canceled'
      and x.rate_source #>> '{driver,source}' = 'prevailing_wage' and x.rate_source #>> '{driver,value}' is null)
  update job t set rate_source = jsonb_set(t.rate_source, '{driver}', n.noted) from n where t.id = n.id and n.noted is not null`);

/** Notes on jobs the wages of their drivers that were not known when the rates were noted. */
export const missingWages = defineConsequence('wages that were missing', async (tx, changes) => {
  const concerned = new Concerned(changes, WAGES, ({ event }) => event === 'create');
  if (concerned.none) return;
  await tx.query(NOTE_MISSING, [concerned.ids('User'), concerned.ids('Project')]);
});

import { BILLING } from './walk/billing.ts';
import { DIRECTORY } from './walk/directory.ts';
import { DISPATCH } from './walk/dispatch.ts';
import { EVENTS } from './walk/events.ts';
import type { Expectation } from './walk/expectation.ts';
import { IDENTITY } from './walk/identity.ts';
import { INGEST } from './walk/ingest.ts';
import { MERGING } from './walk/merging.ts';
import { OTHERS } from './walk/others.ts';
import { PARTNERS } from './walk/partners.ts';
import { PROOF } from './walk/proof.ts';
import { REPORTING } from './walk/reporting.ts';
import { SANDBOX } from './walk/sandbox.ts';

export { graphqlCall, restCalls } from './walk/calls.ts';
export { type Expectation, permitted } from './walk/expectation.ts';
export { type Ids, idsUsed } from './walk/ids.ts';
export { makeIds, reach } from './walk/makers.ts';

/**
 * Every root field has one line in `test/helpers/walk`, from which docs/permissions.md is made: a field without one fails `npm run schema`
 * and the walk.
 */
export const EXPECTED: ReadonlyMap<string, Expectation> = onePer([
  ...DIRECTORY,
  ...IDENTITY,
  ...PARTNERS,
  ...BILLING,
  ...DISPATCH,
  ...PROOF,
  ...INGEST,
  ...EVENTS,
  ...REPORTING,
  ...MERGING,
  ...SANDBOX,
  ...OTHERS,
]);

/** Returns the expectation of a root field. @throws Error that says where to write it, if it has none yet */
export function expectationOf(field: string): Expectation {
  const expected = EXPECTED.get(field);
  if (expected) return expected;
  throw new Error(
    `${field} has no line in test/helpers/walk: say who may call it, and which kind of record its id names, as in of('order', 'edit_order', '${field}')`,
  );
}

function onePer(rows: [string, Expectation][]): ReadonlyMap<string, Expectation> {
  const table = new Map<string, Expectation>();
  for (const [name, expected] of rows) {
    if (table.has(name)) throw new Error(`${name} has two lines in test/helpers/walk`);
    table.set(name, expected);
  }
  return table;
}

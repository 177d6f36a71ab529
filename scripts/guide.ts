// The fields of an order in docs/importer.md, for scripts/schema.ts.
import { readFileSync } from 'node:fs';
import { type FieldKind, ORDER_FIELDS, payloadColumnsOf } from '../src/dispatch/fields/work-fields.ts';

export const GUIDE = 'docs/importer.md';
const TABLE = '\n## Fields of an order\n';

/** The last cell of the row that lists the fields of a kind which need no explanation. The names of the other kinds are written by hand. */
const ROWS: Partial<Record<FieldKind, string>> = {
  text: 'text',
  flag: 'true or false',
  whole: 'numbers of the plan',
  decimal: 'numbers of the plan',
};

/** The guide says "and the same for" these. */
const ALIKE = /^(vendor|driver)_rate_/;

/** Returns the guide for importers, in which the table of an order's fields also names those that it lacked. */
export function guidePage(): string {
  const page = readFileSync(GUIDE, 'utf8');
  const from = page.indexOf('| Field | |', page.indexOf(TABLE));
  const to = page.indexOf('\n\n', from);
  const rows = page.slice(from, to).split('\n');
  for (const [column, kind] of payloadColumnsOf(ORDER_FIELDS)) {
    if (ALIKE.test(column) || rows.some((row) => row.includes(`\`${column}\``))) continue;
    const at = rows.findIndex((row) => row.endsWith(` | ${ROWS[kind]} |`));
    if (at >= 0) rows[at] = rows[at]!.replace(' | ', `, \`${column}\` | `);
  }
  return page.slice(0, from) + rows.join('\n') + page.slice(to);
}

import { sentenceOf } from '../ingest/code-sentences.ts';
import { type Fates, isFailure, type ReportedRecord } from './fates.ts';
import { count, EXIT, plain } from './fault.ts';
import type { Unsent } from './parcels.ts';
import type { Source } from './source.ts';

/** The result of a run. */
export interface Outcome {
  source: Source;
  unsent: Unsent[];
  /** Undefined for a dry run. */
  acknowledged: number | undefined;
  /** Undefined with --no-wait. */
  fates: Fates | undefined;
}

/** Lines of a table; more are only counted. */
const SHOWN = 50;
/** Reasons that are counted below a table that is cut off. */
const REASONS = 20;
/** Characters of a cell. */
const WIDEST = 40;

/** Returns the exit code of a run: whether anything failed, was not sent, or is still waiting. */
export function exitOf({ unsent, fates }: Outcome): number {
  const failed = fates?.reported.some(({ state }) => isFailure(state)) ?? false;
  return unsent.length > 0 || failed || (fates?.waiting ?? 0) > 0 ? EXIT.someFailed : EXIT.done;
}

/** Returns the report on a file, for a person. */
export function report(outcome: Outcome): string {
  const { source, unsent, acknowledged, fates } = outcome;
  const [fails, isLeftThere, isImported] =
    acknowledged === undefined ? ['would fail', 'would be left', 'would be imported'] : ['failed', 'was left', 'was imported'];
  const lines: string[] = [
    `${count(source.total)} ${source.kind}, ${acknowledged === undefined ? 'tried; nothing is stored' : `${count(acknowledged)} acknowledged`}`,
  ];
  if (unsent.length > 0) lines.push(`  ${'not sent'.padEnd(16)}${count(unsent.length).padStart(9)}`);
  for (const [state, n] of [...(fates?.states ?? [])].sort())
    lines.push(`  ${(state === 'created' ? 'still waiting' : state).padEnd(16)}${count(n).padStart(9)}`);
  if (source.unknownColumns.length > 0)
    lines.push(`Nothing was read of: ${source.unknownColumns.map((name) => `"${plain(name)}"`).join(', ')}`);
  section(
    lines,
    'Numbers that may be thousands, taken as fractions',
    source.doubtful.map(({ place, pointer, given, used }) => [place, '', 'ambiguous_number', `${pointer} ${change({ given, used })}`]),
  );
  const reported = fates?.reported ?? [];
  const failed = [
    ...unsent.map(({ place, key, why }) => [place, key ?? '', 'not sent', why]),
    ...reported.filter(({ state }) => isFailure(state)).map(rowOf),
  ];
  section(lines, `What ${fails}`, failed);
  section(lines, `What ${isLeftThere} as it is`, reported.filter(({ state }) => isLeft(state)).map(rowOf));
  const warned = (of: ReportedRecord[]) =>
    of.flatMap((record) => warningsOf(record).map((one) => [record.place, record.key ?? '', one.code, `${one.pointer} ${change(one)}`]));
  section(lines, `What else is odd about what ${fails}`, warned(reported.filter(({ state }) => isFailure(state))));
  section(lines, `What else is odd about what ${isLeftThere}`, warned(reported.filter(({ state }) => isLeft(state))));
  section(lines, `What ${isImported} with warnings`, warned(reported.filter(({ state }) => !isFailure(state) && !isLeft(state))));
  meanings(lines, outcome);
  if ((fates?.waiting ?? 0) > 0) lines.push('Some records are still waiting. Run the same command again to learn what became of them.');
  return `${lines.join('\n')}\n`;
}

/** Returns the warnings of a record; without those for which it failed, because its sender wants no guesses. */
const warningsOf = ({ state, lastError, warnings }: ReportedRecord): ReportedRecord['warnings'] =>
  isFailure(state) ? warnings.filter(({ code, pointer }) => !lastError?.includes(`${code}: ${pointer}:`)) : warnings;

/** Adds a sentence for each code of a warning. The errors have sentences of the server. */
function meanings(lines: string[], { source, fates }: Outcome): void {
  const codes = new Set((fates?.reported ?? []).flatMap((record) => warningsOf(record).map(({ code }) => code)));
  if (source.doubtful.length > 0) codes.add('ambiguous_number');
  const known = [...codes].sort().flatMap((code) => {
    const sentence = sentenceOf(code);
    return sentence === undefined ? [] : [{ code, sentence }];
  });
  if (known.length === 0) return;
  const width = Math.max(...known.map(({ code }) => code.length));
  lines.push('What the warnings mean:', ...known.map(({ code, sentence }) => `  ${code.padEnd(width)}  ${sentence}`));
}

/** Returns the same for a program, which reads it as text. */
export const reportJson = (outcome: Outcome): string => `${JSON.stringify(reportFor(outcome), null, 2)}\n`;

/** Returns the same for a program. */
export function reportFor({ source, unsent, acknowledged, fates }: Outcome) {
  const reported = fates?.reported ?? [];
  const record = ({ place, key, id, state, lastError }: ReportedRecord) => ({ place, imported_for: key, id, state, last_error: lastError });
  return {
    kind: source.kind,
    elements: source.total,
    acknowledged: acknowledged ?? null,
    states: fates ? Object.fromEntries(fates.states) : null,
    failed: reported.filter(({ state }) => isFailure(state)).map(record),
    left: reported.filter(({ state }) => isLeft(state)).map(record),
    warned: reported.filter(({ warnings }) => warnings.length > 0).map((one) => ({ ...record(one), warnings: one.warnings })),
    unsent: unsent.map(({ place, key, why }) => ({ place, imported_for: key ?? null, why })),
    unknown_columns: source.unknownColumns,
    ambiguous_numbers: source.doubtful,
  };
}

const isLeft = (state: string): boolean => state.startsWith('skipped');

/** An error of several problems has a line for each. */
const rowOf = ({ place, key, state, lastError }: ReportedRecord): string[] => [
  place,
  key ?? '',
  state,
  (lastError ?? '').split('\n').join(' | '),
];

const change = ({ given, used }: { given?: unknown; used?: unknown }): string =>
  [given, used]
    .filter((one) => one !== undefined && one !== null)
    .map((one) => JSON.stringify(one))
    .join(' -> ');

function section(lines: string[], title: string, rows: string[][]): void {
  if (rows.length === 0) return;
  const shown = rows.slice(0, SHOWN).map((row) => row.map((cell, i) => (i < 3 ? plain(cell).slice(0, WIDEST) : plain(cell))));
  const widths = [0, 1, 2].map((i) => Math.max(...shown.map((row) => (row[i] ?? '').length)));
  lines.push(`${title}:`);
  for (const row of shown)
    lines.push(
      `  ${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
  if (rows.length <= SHOWN) return;
  lines.push(`  and ${count(rows.length - SHOWN)} more (--json has all), together:`);
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(reasonOf(row), (sums.get(reasonOf(row)) ?? 0) + 1);
  const most = [...sums].sort(([, a], [, b]) => b - a);
  for (const [reason, n] of most.slice(0, REASONS)) lines.push(`  ${count(n).padStart(9)}  ${plain(reason)}`);
  if (most.length > REASONS) lines.push(`             and ${count(most.length - REASONS)} more reasons`);
}

/** Returns what many lines have in common: the code and the place, without the number of an element in its list. */
function reasonOf([, , what = '', why = '']: string[]): string {
  // For a warning, the third column is its code, and the fourth begins with its place.
  const [code = '', place = ''] = why.startsWith('/') || why.startsWith(' ') ? [what, why.split(' ')[0]] : why.split(/: ?/);
  return `${code} ${place.startsWith('/') ? place.replace(/\/\d+(?=\/|$)/g, '/*') : ''}`.trim();
}

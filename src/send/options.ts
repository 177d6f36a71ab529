import { parseArgs } from 'node:util';
import { SHEET_KINDS, type SheetKind } from '../ingest/csv/fields.ts';
import { usage } from './fault.ts';

export interface Options {
  file: string;
  /** Without a slash at the end. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** By default detected from the file. */
  kind?: SheetKind;
  batch: number;
  concurrency: number;
  wait: boolean;
  /** Seconds without any record settling, after which waiting ends. */
  timeout: number;
  /** Attempts of a request after a first one without an answer. */
  retries: number;
  state: string;
  restart: boolean;
  dryRun: boolean;
  /** True if an element fails of which the server has to guess something. */
  strict: boolean;
  json: boolean;
  /** Paths by header, for CSV. */
  mapping: Record<string, string>;
}

export const HELP = `haulgate-send FILE [options]    Sends orders, projects or tickets to /ingest and says what became of each.

  FILE                 .csv, .json ({"orders": [...]} or a bare array), or .ndjson (one element a line)
  --url URL            where Haulgate answers                    HAULGATE_URL
  --client-id ID       of the machine client                     HAULGATE_CLIENT_ID
  --client-secret S    better kept in the environment            HAULGATE_CLIENT_SECRET
  --kind KIND          orders, projects or tickets; guessed from the root key, the file's name or its columns
  --batch N            elements of a request, 1 to 1000 (100)
  --concurrency N      requests at a time, 1 to 8 (2)
  --map HEADER=PATH    place a CSV column by hand; an empty path leaves it out; may be repeated
  --no-wait            end when everything is acknowledged, without waiting for the outcome
  --timeout SECONDS    give up waiting when nothing has settled for so long (600)
  --retries N          how often a request that met no answer is repeated (6)
  --state FILE         progress of the run (FILE.haulgate-send); a broken run continues from it
  --restart            forget the progress and send everything
  --strict             an element for which something would be guessed, such as its unit, fails
  --dry-run            say what would become of each element, and store nothing
  --json               the result as JSON on standard output
  --help, --version

Exit status: 0 all processed or skipped as already there, 1 some failed, 2 wrong usage, 3 not reached or not authorised,
130 interrupted: the same command continues.
`;

/** @throws Fault for anything that contradicts HELP */
export function readOptions(args: string[], env: Record<string, string | undefined>): Options | 'help' | 'version' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [file, ...more] = positionals;
  if (!file) throw usage('Name the file to send: haulgate-send orders.json. --help shows everything.');
  if (more.length > 0) throw usage(`One file at a time: ${file} or ${more[0]}.`);
  if (values.wait && values['no-wait']) throw usage('--wait and --no-wait contradict each other.');
  return {
    file,
    url: readUrl(values.url ?? env.HAULGATE_URL),
    clientId: required(values['client-id'] ?? env.HAULGATE_CLIENT_ID, '--client-id', 'HAULGATE_CLIENT_ID'),
    clientSecret: required(values['client-secret'] ?? env.HAULGATE_CLIENT_SECRET, '--client-secret', 'HAULGATE_CLIENT_SECRET'),
    kind: readKind(values.kind),
    batch: whole('--batch', values.batch, 1, 1_000, 100),
    concurrency: whole('--concurrency', values.concurrency, 1, 8, 2),
    wait: !values['no-wait'],
    timeout: whole('--timeout', values.timeout, 1, 86_400, 600),
    retries: whole('--retries', values.retries, 0, 100, 6),
    state: values.state ?? `${file}.haulgate-send`,
    restart: values.restart === true,
    dryRun: values['dry-run'] === true,
    strict: values.strict === true,
    json: values.json === true,
    mapping: readMapping(values.map ?? []),
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        url: text,
        'client-id': text,
        'client-secret': text,
        kind: text,
        batch: text,
        concurrency: text,
        map: { type: 'string', multiple: true },
        wait: flag,
        'no-wait': flag,
        timeout: text,
        retries: text,
        state: text,
        restart: flag,
        'dry-run': flag,
        strict: flag,
        json: flag,
        help: { type: 'boolean', short: 'h' },
        version: flag,
      },
    });
  } catch (error) {
    throw usage(`${(error as Error).message} --help shows everything.`);
  }
}

function required(value: string | undefined, option: string, variable: string): string {
  if (!value) throw usage(`Give ${option}, or set ${variable}.`);
  return value;
}

function readUrl(text: string | undefined): string {
  const url = required(text, '--url', 'HAULGATE_URL');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw usage('--url must start with http:// or https://.');
  return url.replace(/\/+$/, '');
}

function readKind(text: string | undefined): SheetKind | undefined {
  const kind = SHEET_KINDS.find((one) => one === text || one === `${text}s`);
  if (text !== undefined && !kind) throw usage(`--kind must be one of ${SHEET_KINDS.join(', ')}.`);
  return kind;
}

function whole(option: string, text: string | undefined, min: number, max: number, fallback: number): number {
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw usage(`${option} must be a whole number from ${min} to ${max}.`);
  return value;
}

function readMapping(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.lastIndexOf('=');
      if (equals < 1) throw usage(`--map takes HEADER=PATH, not ${pair}.`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

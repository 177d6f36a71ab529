import { readFileSync } from 'node:fs';
import { Client } from './client.ts';
import { deliver } from './deliver.ts';
import { dryRun } from './dry-run.ts';
import { readFates } from './fates.ts';
import { count, EXIT, Fault } from './fault.ts';
import { type Acknowledged, Journal } from './journal.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Progress, restoreTerminal, startProgress } from './progress.ts';
import { exitOf, type Outcome, reportJson, report as writeReport } from './report.ts';
import { openSource, type Source } from './source.ts';

let progress: Progress | undefined;
const report = (message: string) => (progress ? progress.say(message) : void process.stderr.write(`${message}\n`));

/** The command-line sender: `haulgate-send FILE`. Runs on Node 20; from the server it imports only how sheets are read. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') return print(HELP);
  if (options === 'version') return print(`${versionOf()}\n`);
  const source = await openSource(options);
  if (source.total === 0) throw new Fault(EXIT.usage, `${options.file} holds no ${source.kind}.`);
  const halt = () => {
    restoreTerminal(process.stderr);
    process.stderr.write('\nInterrupted. Run the same command again to continue.\n');
    // Every acknowledged request is in the state file already; a running one is repeated under its key.
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', halt).once('SIGTERM', halt);
  const client = new Client(options, report);
  // Comes before the journal: a mistyped secret or address must not cost the progress of an interrupted run.
  await client.signIn();
  const journal = options.dryRun ? undefined : openJournal(options, source);
  const outcome = await (journal ? run(options, source, client, journal) : tryOut(options, source, client));
  process.stdout.write(options.json ? reportJson(outcome) : writeReport(outcome));
  // With --no-wait, or while records still wait, another run may ask for the outcomes later.
  if (outcome.fates?.waiting === 0) journal?.remove();
  return exitOf(outcome);
}

async function run(options: Options, source: Source, client: Client, journal: Journal): Promise<Outcome> {
  const add = (n: number) => progress?.add(n);
  progress = startProgress('sent', source.total, source.kind, process.stderr);
  try {
    const sent = await deliver(source, client, journal, options, add);
    progress.end();
    const batches = [...journal.done.values()].filter((line): line is Acknowledged => 'batch' in line);
    const acknowledged = batches.reduce((sum, batch) => sum + batch.records, 0);
    if (!options.wait) return { source, unsent: sent.unsent, acknowledged, fates: undefined };
    progress = startProgress('settled', acknowledged, source.kind, process.stderr);
    batches.sort((a, b) => a.request - b.request);
    const fates = await readFates(client, batches, sent.places, options.timeout, add);
    return { source, unsent: sent.unsent, acknowledged, fates };
  } finally {
    progress.end();
  }
}

async function tryOut(options: Options, source: Source, client: Client): Promise<Outcome> {
  progress = startProgress('tried', source.total, source.kind, process.stderr);
  try {
    const { unsent, fates } = await dryRun(source, client, options, (n) => progress?.add(n));
    return { source, unsent, acknowledged: undefined, fates };
  } finally {
    progress.end();
  }
}

function openJournal(options: Options, source: Source): Journal {
  const { url, clientId: client, mapping, strict } = options;
  const run = { input: source.hash, kind: source.kind, url, client, mapping, ...(strict ? ({ strict } as const) : {}) };
  const journal = new Journal(options.state, run, options.batch, options.restart);
  if (journal.note) process.stderr.write(`${journal.note}: everything is sent.\n`);
  if (journal.done.size > 0) process.stderr.write(`Continuing: ${count(journal.done.size)} requests were acknowledged before.\n`);
  return journal;
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

/** Returns the version of the package, whether this runs from src/ or from dist/src/. */
function versionOf(): string {
  for (let at = new URL('.', import.meta.url); at.href !== new URL('..', at).href; at = new URL('..', at)) {
    try {
      const found = JSON.parse(readFileSync(new URL('package.json', at), 'utf8')) as { name: string; version: string };
      if (found.name === 'haulgate') return found.version;
    } catch {
      // There is no package.json here, so the next folder up is tried.
    }
  }
  return 'unknown';
}

// If the reader has closed the pipe (`| head`) or the disk is full, the run still ends with its own status.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.stderr.write(`The result could not be written (${code}).\n`));

try {
  process.exitCode = await main();
} catch (error) {
  const said = error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${said}\n`);
  process.exitCode = error instanceof Fault ? error.exit : EXIT.someFailed;
}

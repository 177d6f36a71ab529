import { Client } from './client.ts';
import { deliver } from './deliver.ts';
import { dryRun } from './dry-run.ts';
import { readFates } from './fates.ts';
import { count, EXIT, Fault } from './fault.ts';
import { type Acknowledged, Journal } from './journal.ts';
import type { Options } from './options.ts';
import type { Progress } from './progress.ts';
import type { Outcome } from './report.ts';
import type { Source } from './source.ts';

/** The one who follows a run: a person at a terminal, or a program. */
export interface Watcher {
  say(message: string): void;
  /** A stage of the run begins, and ends before the next one. */
  begin(verb: string, total: number, noun: string): Pick<Progress, 'add' | 'end'>;
}

type Run = Pick<Options, 'url' | 'clientId' | 'clientSecret' | 'retries' | 'batch' | 'concurrency' | 'strict' | 'timeout' | 'wait'> &
  Pick<Options, 'file' | 'state' | 'restart' | 'dryRun' | 'mapping'>;

/**
 * Sends what a file contains, and waits for the outcome of each element.
 * @param keep called with the outcome before the progress of the run is forgotten
 * @throws Fault if the server cannot be reached or refuses the client; the same call continues the run
 */
export async function send(options: Run, source: Source, watcher: Watcher, keep: (outcome: Outcome) => void): Promise<Outcome> {
  if (source.total === 0) throw new Fault(EXIT.usage, `${options.file} holds no ${source.kind}.`);
  const client = new Client(options, watcher.say);
  // Comes before the journal: a mistyped secret or address must not cost the progress of an interrupted run.
  await client.signIn();
  const journal = options.dryRun ? undefined : openJournal(options, source, watcher);
  const outcome = await (journal ? run(options, source, client, journal, watcher) : tryOut(options, source, client, watcher));
  keep(outcome);
  // With --no-wait, or while records still wait, another run may ask for the outcomes later.
  if (outcome.fates?.waiting === 0) journal?.remove();
  return outcome;
}

async function run(options: Run, source: Source, client: Client, journal: Journal, watcher: Watcher): Promise<Outcome> {
  let stage = watcher.begin('sent', source.total, source.kind);
  const add = (n: number) => stage.add(n);
  try {
    const sent = await deliver(source, client, journal, options, add);
    stage.end();
    const batches = [...journal.done.values()].filter((line): line is Acknowledged => 'batch' in line);
    const acknowledged = batches.reduce((sum, batch) => sum + batch.records, 0);
    if (!options.wait) return { source, unsent: sent.unsent, acknowledged, fates: undefined };
    stage = watcher.begin('settled', acknowledged, source.kind);
    batches.sort((a, b) => a.request - b.request);
    const fates = await readFates(client, batches, sent.places, options.timeout, add);
    return { source, unsent: sent.unsent, acknowledged, fates };
  } finally {
    stage.end();
  }
}

async function tryOut(options: Run, source: Source, client: Client, watcher: Watcher): Promise<Outcome> {
  const stage = watcher.begin('tried', source.total, source.kind);
  try {
    const { unsent, fates } = await dryRun(source, client, options, (n) => stage.add(n));
    return { source, unsent, acknowledged: undefined, fates };
  } finally {
    stage.end();
  }
}

function openJournal(options: Run, source: Source, watcher: Watcher): Journal {
  const { url, clientId: client, mapping, strict } = options;
  const about = { input: source.hash, kind: source.kind, url, client, mapping, ...(strict ? ({ strict } as const) : {}) };
  const journal = new Journal(options.state, about, options.batch, options.restart);
  if (journal.note) watcher.say(`${journal.note}: everything is sent.`);
  if (journal.done.size > 0) watcher.say(`Continuing: ${count(journal.done.size)} requests were acknowledged before.`);
  return journal;
}

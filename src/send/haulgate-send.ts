import { readFileSync } from 'node:fs';
import { EXIT, Fault } from './fault.ts';
import { HELP, readOptions } from './options.ts';
import { type Progress, restoreTerminal, startProgress } from './progress.ts';
import { exitOf, reportJson, report as writeReport } from './report.ts';
import { send, type Watcher } from './send.ts';
import { openSource } from './source.ts';

let progress: Progress | undefined;
/** Shows the person at the terminal how far the run is. */
const terminal: Watcher = {
  say: (message) => (progress ? progress.say(message) : void process.stderr.write(`${message}\n`)),
  begin(verb, total, noun) {
    progress = startProgress(verb, total, noun, process.stderr);
    return progress;
  },
};

/** The command-line sender: `haulgate-send FILE`. Runs on Node 20; from the server it imports only how sheets are read. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') return print(HELP);
  if (options === 'version') return print(`${versionOf()}\n`);
  const source = await openSource(options);
  const halt = () => {
    restoreTerminal(process.stderr);
    process.stderr.write('\nInterrupted. Run the same command again to continue.\n');
    // Every acknowledged request is in the state file already; a running one is repeated under its key.
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', halt).once('SIGTERM', halt);
  const outcome = await send(options, source, terminal, (one) => process.stdout.write(options.json ? reportJson(one) : writeReport(one)));
  return exitOf(outcome);
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
      // Within the package for clients it has that package's name.
      if (found.name === 'haulgate' || found.name === '@haulgate/client') return found.version;
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

import { Worker } from 'node:worker_threads';
import type { KmlProblem, Placemark } from './read-kml.ts';

/** Milliseconds a file may take; five megabytes of the worst take two seconds. */
const LONGEST = 15_000;
/** Threads of a process at a time; more wait. Each may take a core and 256 MB, whichever application it is for. */
const SIDE_BY_SIDE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a KML file in a separate thread, so that requests are answered in the meantime, and a file that kills its reader kills nothing
 * else.
 */
export async function parseKml(text: string): Promise<{ placemarks: Placemark[]; problems: KmlProblem[] }> {
  while (running >= SIDE_BY_SIDE) await new Promise<void>((wake) => waiting.push(wake));
  running++;
  try {
    return await inThread(text);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function inThread(text: string): Promise<{ placemarks: Placemark[]; problems: KmlProblem[] }> {
  // The source itself where it runs as TypeScript, else what was built of it.
  const thread = new URL(`./kml-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
  const worker = new Worker(thread, { workerData: text, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  return new Promise((resolve) => {
    const refuse = () => resolve({ placemarks: [], problems: [{ key: 'kml_unreadable' }] });
    const late = setTimeout(refuse, LONGEST);
    worker.once('message', resolve);
    // Out of memory, above all.
    worker.once('error', refuse);
    worker.once('exit', () => {
      clearTimeout(late);
      refuse();
    });
  }).finally(() => worker.terminate()) as Promise<{ placemarks: Placemark[]; problems: KmlProblem[] }>;
}

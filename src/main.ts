import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from './platform/start-error.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 17)) {
  process.stderr.write(`Haulgate needs Node 22.17 or newer; this is ${process.versions.node}. "npm start" brings one along.\n`);
  process.exit(1);
}

/** Returns the package's folder, whether this runs from src/ or from dist/src/. */
function packageRoot(): string {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    try {
      if (JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).name === 'haulgate') return at;
    } catch {
      // There is no package.json here, so the next folder up is tried.
    }
  }
  return resolve('.');
}

try {
  // Imported only now: on an old Node the libraries fail to load, before the sentence above could be printed.
  const { readConfig } = await import('./app/config.ts');
  const config = readConfig(process.env);
  const { siblingsOf, orderedConfig } = await import('./app/siblings.ts');
  const siblings = siblingsOf();
  if (config.HAULGATE_PROCESSES > 1 && !siblings) {
    const { supervise } = await import('./app/supervise.ts');
    await supervise(config);
  } else {
    const orders = await siblings?.orders;
    await import('reflect-metadata');
    const { run } = await import('./app/run.ts');
    await run(orders ? orderedConfig(config, orders) : config, packageRoot(), { siblings, embedded: orders?.embedded });
  }
} catch (error) {
  // A failed start is reported in a sentence; a stack only helps for unexpected errors.
  const said = error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${said}\n`);
  process.exit(1);
}

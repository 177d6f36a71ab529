import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from './platform/start-error.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 17)) {
  process.stderr.write(`Haulgate needs Node 22.17 or newer; this is ${process.versions.node}. "npm start" brings one along.\n`);
  process.exit(1);
}

/** The package's folder, whether this runs from src/ or from dist/src/. */
function packageRoot(): string {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    try {
      if (JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).name === 'haulgate') return at;
    } catch {
      // No package.json here: one folder up.
    }
  }
  return resolve('.');
}

try {
  // Imported only now: on an old Node the libraries fail at load, before the sentence above could be said.
  const { readConfig } = await import('./app/config.ts');
  const config = readConfig(process.env);
  await import('reflect-metadata');
  const { run } = await import('./app/run.ts');
  await run(config, packageRoot());
} catch (error) {
  // A start that fails says why in a sentence; the stack only helps when it is not ours.
  const said = error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${said}\n`);
  process.exit(1);
}

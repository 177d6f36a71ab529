import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, readConfig } from './config.ts';
import { run } from './run.ts';

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
  await run(readConfig(process.env), packageRoot());
} catch (error) {
  // A start that fails says why in a sentence; the stack only helps when it is not ours.
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}

#!/usr/bin/env node
// npm runs this file itself, so it must be executable before anything is built.
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/send/haulgate-send.js', import.meta.url);
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`haulgate-send needs Node 20 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (!existsSync(program)) {
  process.stderr.write('haulgate-send is not built yet: npm run build\n');
  process.exitCode = 2;
} else {
  await import(program.href);
}

// Lets node run the TypeScript of this repository without a build: `node --import ./scripts/typescript.mjs scripts/check.ts`.
// Node strips types by itself, but decorators need a compiler. Where Node keeps code that it compiled (NODE_COMPILE_CACHE), what that made is kept too.
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
/** A worker of jest keeps no code, which it would write when it ends, but shares what was made of TypeScript. The folder is made when jest has begun. */
const folderOf = () => process.env.NODE_COMPILE_CACHE ?? process.env.HAULGATE_TEST_COMPILED;

const OPTIONS = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  configFile: false,
  swcrc: false,
};

/** Where a library is; the same for all of our files. */
const libraries = new Map();

registerHooks({
  // Node would look at the file, at the folders above it or through node_modules for each of the thousands of imports.
  resolve(specifier, context, nextResolve) {
    const { parentURL = '', conditions } = context;
    if (!parentURL.startsWith('file:') || parentURL.includes('/node_modules/')) return nextResolve(specifier, context);
    if (/^\.\.?\/.*\.ts$/.test(specifier)) return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    if (!/^[@\w]/.test(specifier) || specifier.startsWith('node:')) return nextResolve(specifier, context);
    const name = `${specifier} ${conditions}`;
    const found = libraries.get(name) ?? nextResolve(specifier, context);
    libraries.set(name, found);
    return { ...found, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    // Tests load a file again with another `?`.
    if (!/^file:[^?]*\.ts(\?|$)/.test(url) || url.includes('/node_modules/')) return nextLoad(url, context);
    const filename = fileURLToPath(url);
    return { format: 'module', source: compiled(filename, readFileSync(filename, 'utf8')), shortCircuit: true };
  },
});

function compiled(filename, source) {
  const folder = folderOf();
  const kept = folder && join(folder, `${hash('sha256', `${filename} ${source}`)}.js`);
  try {
    if (kept) return readFileSync(kept, 'utf8');
  } catch {
    // Not compiled yet.
  }
  const { code } = require('@swc/core').transformSync(source, { ...OPTIONS, filename });
  if (kept) {
    // Another process must not read an incomplete file.
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${kept}.${process.pid}`, code);
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return code;
}

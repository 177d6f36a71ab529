import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { useGlobals } from './globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
const HERE = new URL('./', import.meta.url).href;
const TESTS = new URL('../', import.meta.url).href;
/** Under which jest-circus keeps its handlers of events, in the hands of whoever loads it next. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

process.setSourceMapsEnabled(true);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const found = next(specifier, context);
    // Modules of the tests that a test file loads are as new as itself: they may register hooks, count, or keep what they made.
    const [file] = /\?file=\d+$/.exec(context.parentURL ?? '') ?? [];
    const anew = file && found.url.startsWith(TESTS) && !found.url.startsWith(HERE);
    return anew ? { ...found, url: found.url + file } : found;
  },
});

let files = 0;
/**
 * Loads the whole product, once for each worker: what its rooms register is there for every file, whichever ran before it. The filters of its lists are
 * completed at once, because the first schema that is built settles their fields, and that may be one of a test's own.
 */
let product;
const loadProduct = () => (product ??= load());
async function load() {
  await import('reflect-metadata');
  const { entities, registerRooms } = await import('../../src/app/rooms.ts');
  registerRooms();
  const { declareListFilters } = await import('../../src/platform/graphql/list-filters.ts');
  declareListFilters(entities);
}

/**
 * Stands in for jest's own runtime, which loads everything anew for every test file, in a context of its own. Here Node.js loads the product
 * and its libraries once for all files that a worker runs, one after the other, and a test file and its helpers for each of them.
 */
export default class Runtime {
  #testPath;

  constructor(_config, _environment, _resolver, _transformer, _cacheFS, _coverage, testPath) {
    this.#testPath = testPath;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await loadProduct();
    // Jest sets both for contexts of its own; here they would bind the product, which makes errors by the thousand.
    Error.stackTraceLimit = 25;
    Error.prepareStackTrace = undefined;
    const { href } = pathToFileURL(path);
    if (path === this.#testPath) return import(`${href}?file=${++files}`);
    return import(href);
  }

  /** Snapshots are found by jest's own rule. */
  requireModule(path) {
    return require(path);
  }

  /** jest-circus, anew: it keeps what it knows of a file's tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[HANDLERS];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    useGlobals(globals);
  }

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}

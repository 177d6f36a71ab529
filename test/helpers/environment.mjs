import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { parseOnce } from './parse-once.mjs';

// A function that two test files make of the same text, as MikroORM does, is one to V8, which then keeps all modules of the first for the second.
setFlagsFromString('--no-compilation-cache');
parseOnce();

/** What the running test file observes of the process: the metrics do, and would keep all its modules. */
const observing = new Set();
const { observe } = PerformanceObserver.prototype;
PerformanceObserver.prototype.observe = function (...what) {
  observing.add(this);
  return observe.apply(this, what);
};

/**
 * The environment of every test file. A worker that has nothing left to do ends at once instead of giving back a heap of a gigabyte first:
 * that takes longer than the half second after which jest says that tests leak. One that has something open still waits for it, and is told.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // Node.js before 22.8 has none.
    if (constants.DONT_CONTEXTIFY) this.#goPlain(config.projectConfig);
    if (process.env.JEST_WORKER_ID && process.send && process.listeners('beforeExit').every((one) => one !== leave))
      process.once('beforeExit', leave);
  }

  async teardown() {
    await super.teardown();
    for (const one of observing) one.disconnect();
    observing.clear();
  }

  /**
   * Takes a global object of its own instead of jest's, a proxy that is asked whenever the product or a library says `Object` or `Array`:
   * a look-up costs sixty times as much there, together a third of what the tests do. What the proxy is for, to forget what a file left
   * behind, the end of the worker does here.
   */
  #goPlain(projectConfig) {
    const jests = this.global;
    const global = createContext(constants.DONT_CONTEXTIFY);
    for (const name of Reflect.ownKeys(jests)) {
      if (!Object.hasOwn(global, name) || OF_NODE.has(name)) Object.defineProperty(global, name, propertyOf(name, jests, global));
    }
    global.global = global;
    global.Error.stackTraceLimit = jests.Error.stackTraceLimit;
    this.moduleMocker = new this.moduleMocker.constructor(global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: projectConfig, global });
    this.context = global;
    this.global = global;
  }
}

/** What the functions of Node.js take and give, which a new global object has of its own too. */
const OF_NODE = new Set(['Buffer', 'ArrayBuffer', 'Uint8Array']);

function propertyOf(name, jests, global) {
  const jest = Object.getOwnPropertyDescriptor(jests, name);
  const node = Object.getOwnPropertyDescriptor(globalThis, name);
  const value = (it) => ({ value: it, writable: true, enumerable: jest.enumerable, configurable: true });
  if (!jest.get) return value(jest.value);
  if (node && !node.get) return value(node.value);
  // What Node.js makes when it is first asked for.
  return {
    get() {
      const made = globalThis[name];
      Object.defineProperty(global, name, value(made));
      return made;
    },
    set: (it) => void Object.defineProperty(global, name, value(it)),
    enumerable: jest.enumerable,
    configurable: true,
  };
}

function leave() {
  process.exit();
}

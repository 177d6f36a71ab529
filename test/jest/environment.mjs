/**
 * The environment that jest asks for. There is none: all test files of a worker share the worker's own global object, as the code of the product
 * does when it runs.
 */
export default class Environment {
  /** The globals that jest would give a test file; `runtime.mjs` hands them out by import instead. */
  global = {};
  fakeTimers = null;
  fakeTimersModern = null;
  moduleMocker = null;
  #console = globalThis.console;
  #variables = {};

  constructor() {
    if (!process.env.JEST_WORKER_ID || !process.send || process.listeners('beforeExit').includes(leave)) return;
    process.once('beforeExit', leave);
    process.on('message', watchEnd);
  }

  async setup() {
    globalThis.console = this.global.console;
    this.#variables = { ...process.env };
  }

  /** Sets back what the next file would otherwise find changed. */
  async teardown() {
    globalThis.console = this.#console;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node'];
  }
}

/** The kind of jest's message to a worker that nothing more is to be run (`CHILD_MESSAGE_END` of jest-worker). */
const END = 2;
/** Milliseconds; jest ends the worker later (`workerGracefulExitTimeout` of `jest.config.js`), and does not say what kept it. */
const LATE = 5_000;

/** Says what a worker that is to end still has open: something that a test has not closed. */
function watchEnd(message) {
  if (!Array.isArray(message) || message[0] !== END) return;
  // A listener keeps the process.
  process.off('message', watchEnd);
  setTimeout(() => process.stderr.write(`tests have left open: ${process.getActiveResourcesInfo().join(', ')}\n`), LATE).unref();
}

/** A worker that has nothing left to do ends at once; to give back its memory takes longer than jest waits before it says that tests leak. */
function leave() {
  process.exit();
}

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
    if (process.env.JEST_WORKER_ID && process.send && process.listeners('beforeExit').every((one) => one !== leave))
      process.once('beforeExit', leave);
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

/** A worker that has nothing left to do ends at once; to give back its memory takes longer than jest waits before it says that tests leak. */
function leave() {
  process.exit();
}

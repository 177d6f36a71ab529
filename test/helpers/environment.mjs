import { TestEnvironment } from 'jest-environment-node';

/**
 * The environment of every test file. A worker that has nothing left to do ends at once instead of giving back a heap of a gigabyte first:
 * that takes longer than the half second after which jest says that tests leak. One that has something open still waits for it, and is told.
 */
export default class Environment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    if (process.env.JEST_WORKER_ID && process.send && process.listeners('beforeExit').every((one) => one !== leave))
      process.once('beforeExit', leave);
  }
}

function leave() {
  process.exit();
}

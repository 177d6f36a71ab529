/** Tests that start whole programs: the product, senders, browsers, PostgreSQL or Redis of their own. They mostly wait. */
const PROCESSES = [
  '/test/(app|console|scripts|send)/.*',
  '/test/docs-pasted',
  '/test/ingest/files/files-s3',
  '/test/platform/(database/embedded|database/roles|queue/queue-redis)',
].map((path) => `${path}\\.test\\.ts$`);

/** What both projects have in common. Node.js itself loads everything (`test/jest/runtime.mjs`), TypeScript by `scripts/typescript.mjs`. */
const common = {
  roots: ['<rootDir>/test'],
  runtime: '<rootDir>/test/jest/runtime.mjs',
  testEnvironment: '<rootDir>/test/jest/environment.mjs',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  injectGlobals: false,
  globalSetup: '<rootDir>/test/jest/setup.ts',
  globalTeardown: '<rootDir>/test/jest/teardown.ts',
  // Seeds of property tests.
  setupFiles: ['<rootDir>/test/helpers/properties.ts'],
};

export default {
  projects: [
    { ...common, displayName: 'rooms', testMatch: ['**/*.test.ts'], testPathIgnorePatterns: PROCESSES },
    { ...common, displayName: 'processes', testRegex: PROCESSES },
  ],
  testSequencer: '<rootDir>/test/jest/longest-first.mjs',
  // For a machine that does other things beside; no test waits that long by itself.
  testTimeout: 120_000,
  maxWorkers: 2,
  // A worker that has grown all the same is replaced by a fresh one before the next file.
  workerIdleMemoryLimit: '1500MB',
};

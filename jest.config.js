/** Tests that start whole programs: the product, senders, browsers, PostgreSQL or Redis of their own. They mostly wait. */
const PROCESSES = [
  '/test/(app|console|scripts|send)/.*',
  '/test/docs-pasted',
  '/test/events/receivers',
  '/test/ingest/files/files-s3',
  '/test/platform/(database/(embedded|roles|silent-servers)|queue/queue-redis)',
].map((path) => `${path}\\.test\\.ts$`);

/**
 * Tests that put every operation of the contract, every field or hundreds of random inputs through the product. A change rarely breaks one of them
 * alone, so `npm run test:sweeps` runs them, and `npm test` only those that are named in its arguments. CI runs both.
 */
const SWEEPS = [
  '/test/(read-only|money-everywhere|hostile-load)',
  '/test/identity/(access/own-records|sessions/impersonated-reads)',
  '/test/ingest/(last-words/last-words|payload/odd-payloads|tickets/any-order)',
  '/test/isolation/(at-once|limited/limited|passed-canaries|pool|row-level-security-(alone|at-replicas))',
  '/test/partners/together/partners-together',
  '/test/platform/(fold|database/(replicas/.*|(failover|restore)-drill|starved-migration))',
  '/test/read/odd-arguments',
  '/test/reporting/hauling/same-work',
  // The compiler, the formatter and the documents of the whole project.
  '/test/scripts/new-code',
].map((path) => `${path}\\.test\\.ts$`);

/** Sweeps of whose kind nothing else is in `npm test`: there they do a small part of their work (`isWhole` in test/helpers/properties.ts). */
const PARTLY = [
  '/test/(fuzz|nulls)',
  '/test/audit/every-write',
  '/test/billing/locks/doors',
  '/test/identity/sign-in/folded-addresses',
  '/test/ingest/(dry-run/dry-run-random|ledger/ledger-model|orders/match|payload/odd-values|rates-noted)',
  '/test/isolation/(family|leaks|pairs-at-once)',
  '/test/merging/merge-properties',
  '/test/platform/graphql/random/random-documents',
  '/test/read/(every-list|exports|pages|parquet)',
  '/test/reporting/everywhere/same-everywhere',
  '/test/telematics/(fences/stamps-in-order|purges)',
].map((path) => `${path}\\.test\\.ts$`);
const sweeping = process.env.HAULGATE_TEST_SWEEPS === 'only';
const asked = process.argv.slice(2).some((arg) => /^(\.\/)?test\//.test(arg) || arg.startsWith('--selectProjects'));
const whole = sweeping || asked;
// The processes that run the tests get it from this one.
process.env.HAULGATE_TEST_PART = whole ? '' : 'on';

/** What the projects have in common. Node.js itself loads everything (`test/jest/runtime.mjs`), TypeScript by `scripts/typescript.mjs`. */
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
    ...(sweeping
      ? []
      : [
          { ...common, displayName: 'rooms', testMatch: ['**/*.test.ts'], testPathIgnorePatterns: [...PROCESSES, ...SWEEPS, ...(whole ? PARTLY : [])] },
          { ...common, displayName: 'processes', testRegex: PROCESSES, testPathIgnorePatterns: SWEEPS },
        ]),
    ...(whole ? [{ ...common, displayName: 'sweeps', testRegex: [...SWEEPS, ...PARTLY] }] : []),
  ],
  testSequencer: '<rootDir>/test/jest/longest-first.mjs',
  // For a machine that does other things beside; no test waits that long by itself.
  testTimeout: 120_000,
  maxWorkers: 2,
  // What a worker has left open keeps it for longer than any machine takes to end one; it says then what that is (test/jest/environment.mjs).
  workerGracefulExitTimeout: 10_000,
  // A worker that has grown all the same is replaced by a fresh one before the next file.
  workerIdleMemoryLimit: '1500MB',
};

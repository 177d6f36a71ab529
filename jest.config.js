import { libraries, untouched } from './test/helpers/one-file.mjs';

/** ESM with decorators: swc emits the metadata that MikroORM and type-graphql read. */
export default {
  testEnvironment: '<rootDir>/test/helpers/environment.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transformIgnorePatterns: [untouched],
  transform: {
    [libraries]: '<rootDir>/test/helpers/one-file.mjs',
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testSequencer: '<rootDir>/test/helpers/longest-first.mjs',
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  // Seeds of property tests.
  setupFiles: ['<rootDir>/test/helpers/properties.ts'],
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
  // For a machine that does other things beside; no test waits that long by itself.
  testTimeout: 120_000,
  maxWorkers: 2,
  // A worker that has grown all the same is replaced by a fresh one before the next file.
  workerIdleMemoryLimit: '1500MB',
};

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildSync, version as esbuild } from 'esbuild';

/** Libraries of many files that everybody loads by one of them. All they keep to themselves is in there, so that no second copy can come about. */
const ENTRIES = [
  '@graphql-tools/merge/esm/index.js',
  '@graphql-tools/schema/esm/index.js',
  '@graphql-tools/utils/esm/index.js',
  '@mikro-orm/sql/index.js',
  'graphql-scalars/esm/index.js',
  'kysely/dist/index.js',
  'libphonenumber-js/max/index.js',
  'type-graphql/build/esm/index.js',
  'uuid/dist-node/index.js',
];
const ENTRY = new RegExp(`/node_modules/(?:${ENTRIES.map(escaped).join('|')})$`);
const FOLDERS = ENTRIES.map((entry) => escaped(/^(?:@[^/]+\/)?[^/]+\//.exec(entry)[0])).join('|');

/** What jest leaves as it is: all of node_modules but these libraries. */
export const untouched = `/node_modules/(?!${FOLDERS})`;
/** Every file of these libraries. */
export const libraries = `/node_modules/(?:${FOLDERS}).*\\.js$`;

/** Makes one file of each: jest finds, reads and links hundreds of them otherwise, anew in every test file. */
export default {
  getCacheKey: (_source, path) => `${path} of ${versionOf(path)} by ${esbuild}`,
  process(source, path, { supportsStaticESM }) {
    // What global-setup.ts loads is Node's own to load.
    if (!supportsStaticESM) return { code: source };
    if (!ENTRY.test(path))
      throw new Error(`${path} would be loaded a second time, beside what test/helpers/one-file.mjs made of its library.`);
    // Classes keep their names, which some libraries tell.
    const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'esnext', keepNames: true };
    return { code: buildSync({ ...options, entryPoints: [path], write: false }).outputFiles[0].text };
  },
};

function versionOf(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      if (version) return version;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}

function escaped(text) {
  return text.replaceAll('.', '\\.');
}

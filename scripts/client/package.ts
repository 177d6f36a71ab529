import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { documentsOf } from './documents.ts';
import { operationsOf } from './operations.ts';
import { eventsOf } from './webhooks.ts';

const run = promisify(execFile);
const SOURCES = 'src/client';

/** The modules of the package that can be imported, each with its types. */
const EXPORTS = ['index', 'documents', 'events', 'operations', 'send', 'webhooks'];

/**
 * Makes the package `@haulgate/client` in a folder, of the interfaces' lock files and of what senders use, and packs it.
 * It depends on no other package: what it needs of others is bundled, with their licences.
 * @returns the path of its tarball
 */
export async function packClient(folder: string): Promise<string> {
  const out = join(folder, 'package');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(out, name), text);
  const { types, forms } = operationsOf(JSON.parse(readFileSync('schema/openapi.json', 'utf8')));
  const documents = await documentsOf(readFileSync('schema/schema.graphql', 'utf8'));
  write('operations.d.ts', types);
  write('events.d.ts', eventsOf(JSON.parse(readFileSync('schema/asyncapi.json', 'utf8'))));
  write('documents.d.ts', documents.types);
  await Promise.all([declare(folder, out), bundle(folder, out, { forms, documents: documents.js })]);
  const { version, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  write('package.json', `${JSON.stringify(manifest(version, license, engines), null, 2)}\n`);
  // The other guides are not in the package.
  write('README.md', readFileSync('docs/client.md', 'utf8').replaceAll(/\[([^\]]*)\]\([\w-]+\.md[^)]*\)/g, '$1'));
  copyFileSync('LICENSE', join(out, 'LICENSE'));
  copyFileSync('schema/schema.graphql', join(out, 'schema.graphql'));
  await run('npm', ['pack', '--silent', '--pack-destination', resolve(folder)], { cwd: out });
  return join(folder, `haulgate-client-${version}.tgz`);
}

const manifest = (version: string, license: string, engines: object) => ({
  ...{ name: '@haulgate/client', version, description: 'Typed client of Haulgate: REST, GraphQL, webhooks and the sender of imports.' },
  ...{ license, type: 'module', engines, sideEffects: false, bin: { 'haulgate-send': './haulgate-send.js' } },
  exports: {
    ...Object.fromEntries(
      EXPORTS.map((name) => [
        name === 'index' ? '.' : `./${name}`,
        name === 'events' || name === 'operations' ? { types: `./${name}.d.ts` } : { types: `./${name}.d.ts`, default: `./${name}.js` },
      ]),
    ),
    './schema.graphql': './schema.graphql',
    './package.json': './package.json',
  },
});

/** Writes the types of what is written by hand, and binds them to those that are generated. */
async function declare(folder: string, out: string): Promise<void> {
  const emitted = resolve(folder, 'types');
  rmSync(emitted, { recursive: true, force: true });
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'scripts/client/tsconfig.json', '--outDir', emitted]);
  const typesOf = (name: string) =>
    readFileSync(join(emitted, 'client', `${name}.d.ts`), 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
  writeFileSync(join(out, 'client.d.ts'), typesOf('client'));
  writeFileSync(join(out, 'errors.d.ts'), typesOf('errors'));
  writeFileSync(join(out, 'send.d.ts'), typesOf('send-file'));
  writeFileSync(join(out, 'verified.d.ts'), typesOf('webhooks'));
  writeFileSync(
    join(out, 'index.d.ts'),
    `import { Client, type ClientOptions } from './client.js';
import type { Operations } from './operations.js';

/** All operations of Haulgate by their names: \`new Haulgate({ url, clientId, clientSecret }).call('GET /v1/orders')\`. */
export declare class Haulgate extends Client<Operations> {
  constructor(options: ClientOptions);
}
export type * from './client.js';
export * from './errors.js';
export type { Operations } from './operations.js';
`,
  );
  writeFileSync(
    join(out, 'webhooks.d.ts'),
    `import type { WebhookEvent } from './events.js';
import type { WebhookHeaders } from './verified.js';

/**
 * Verifies what came to a webhook's endpoint, and returns it parsed.
 * @param raw the body as it was received, before it was parsed
 * @param keys \`secret\` of the subscription, or its \`public_key\`; while a secret is replaced, both
 * @throws NotVerified
 */
export declare function verifyWebhook(raw: string | Uint8Array, headers: WebhookHeaders, keys: string | readonly string[]): WebhookEvent;
export { NotVerified, type WebhookHeaders } from './verified.js';
export type { WebhookEvent, WebhookEvents } from './events.js';
`,
  );
}

async function bundle(folder: string, out: string, made: { forms: Record<string, string>; documents: string }): Promise<void> {
  const entries = resolve(folder, 'entries');
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries);
  const source = (name: string) => JSON.stringify(resolve(SOURCES, name));
  const texts: Record<string, string> = {
    index: `import { Client } from ${source('client.ts')};
const FORMS = ${JSON.stringify(made.forms)};
export class Haulgate extends Client { constructor(options) { super(options, FORMS); } }
export * from ${source('errors.ts')};`,
    documents: made.documents,
    send: `export * from ${source('send-file.ts')};`,
    webhooks: `export { NotVerified, verified as verifyWebhook } from ${source('webhooks.ts')};`,
    'haulgate-send': `import ${JSON.stringify(resolve('src/send/haulgate-send.ts'))};`,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(entries, `${name}.mjs`), text);
  const { metafile } = await build({
    ...{ entryPoints: Object.keys(texts).map((name) => join(entries, `${name}.mjs`)), outdir: out, bundle: true, splitting: true },
    ...{
      format: 'esm',
      platform: 'node',
      target: 'node20',
      metafile: true,
      legalComments: 'none',
      logLevel: 'warning',
      minifySyntax: true,
    },
    // The CommonJS of jsonc-parser finds its own files where no bundler sees it.
    ...{ mainFields: ['module', 'main'] },
    // Comments with the paths of this machine would make every build another one.
    ...{ minifyWhitespace: true, chunkNames: 'chunk-[hash]' },
    // cli-progress is CommonJS, and asks for modules of Node.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const program = join(out, 'haulgate-send.js');
  writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`, { mode: 0o755 });
  writeFileSync(join(out, 'THIRD-PARTY.txt'), licencesOf(metafile));
}

/** Returns the licences of the packages of which something is in the bundle, as they ask for. */
function licencesOf(metafile: Metafile): string {
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (!file && !existsSync(join(folder, 'README.md'))) throw new Error(`${folder} has no text of its licence`);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : 'Its package names no other text of its licence.'}`;
  });
  return `This package contains parts of the following ones.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

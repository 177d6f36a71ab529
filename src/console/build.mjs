import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the operator console into dist/console: hashed files that browsers may cache for ever, and a manifest that names them. Plain
 * JavaScript, because it runs before anything is compiled.
 */
const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '../../dist/console');

rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(here, 'main.tsx')],
  outdir: folder,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  // Code that only one page needs is loaded with that page.
  splitting: true,
  bundle: true,
  minify: true,
  metafile: true,
  target: 'es2022',
  format: 'esm',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
});
const files = Object.keys(metafile.outputs).map((path) => basename(path));
const entry = (end) => files.find((name) => name.startsWith('main-') && name.endsWith(end));
const manifest = { script: entry('.js'), style: entry('.css') };
writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));

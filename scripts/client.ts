// npm run client: makes dist/client/haulgate-client-<version>.tgz, the typed client of schema/ (docs/client.md). `-- FOLDER`: elsewhere.
import { mkdirSync, statSync } from 'node:fs';
import { packClient } from './client/package.ts';

const [folder = 'dist/client'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const tarball = await packClient(folder);
process.stdout.write(`${tarball}, ${Math.round(statSync(tarball).size / 1024)} KB\n`);

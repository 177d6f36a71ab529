import { findTrackedSecrets } from './hygiene/tracked.ts';

const { files, found } = findTrackedSecrets('.');
for (const { file, line, kind } of found) process.stderr.write(`${file}:${line}: looks like a secret (${kind})\n`);
process.stdout.write(`${files} files looked at, ${found.length} lines look like a secret\n`);
process.exit(found.length === 0 ? 0 : 1);

// npm run test:pooler: the tests of walls, the import ledger, races and clients that leave, with the product behind PgBouncer in transaction
// mode; `-- --unprepared`: behind one that keeps no count of prepared statements; `-- test/dispatch`: other tests. What it needs is installed.
import { spawnSync } from 'node:child_process';
import { installPgBouncer } from './pooler/install.ts';

const FILES = [
  'test/isolation',
  'test/platform/database',
  'test/app/pooled-start.test.ts',
  'test/ingest/ledger',
  'test/ingest/dry-run/next-to-people.test.ts',
  'test/races.test.ts',
  'test/left-clients.test.ts',
  'test/events/feed-races.test.ts',
  'test/merging/merge-races.test.ts',
  'test/identity/first-sign-in/first-sign-in-at-once.test.ts',
];

const asked = process.argv.slice(2);
const unprepared = asked.includes('--unprepared');
const files = asked.filter((arg) => arg !== '--unprepared');
if (!installPgBouncer((line) => console.log(line))) {
  console.log('left out: no PgBouncer is here, so that nothing was tested behind one');
  process.exit(process.env.HAULGATE_TEST_ALL ? 1 : 0);
}
const { status } = spawnSync('npm', ['test', '--', ...(files.length > 0 ? files : FILES)], {
  stdio: 'inherit',
  env: { ...process.env, HAULGATE_TEST_POOLER: unprepared ? 'unprepared' : 'prepared' },
});
process.exit(status ?? 1);

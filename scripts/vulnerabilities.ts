import { spawnSync } from 'node:child_process';
import { readAudit } from './hygiene/advisories.ts';

/** Exit codes: 0 none, 1 some, 2 if the registry did not answer. */
const { stdout, error } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const audit = error ? { done: false as const, why: error.message } : readAudit(stdout);
if (!audit.done) {
  process.stderr.write(`${'!'.repeat(80)}\nKNOWN VULNERABILITIES WERE NOT LOOKED UP: ${audit.why}\n${'!'.repeat(80)}\n`);
  process.exit(2);
}
for (const line of audit.serious) process.stderr.write(`known vulnerability: ${line}\n`);
process.stdout.write(`${audit.serious.length} packages with a known vulnerability of high severity or worse\n`);
process.exit(audit.serious.length === 0 ? 0 : 1);

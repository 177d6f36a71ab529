import 'reflect-metadata';
import { describe, examine } from './app/doctor/doctor.ts';

/** Reads a deployment by its environment and says what is wrong with it: `npm run doctor [-- --json]`. The exit code is 1 if something is wrong. */
const findings = await examine(process.env);
process.stdout.write(process.argv.includes('--json') ? `${JSON.stringify(findings, null, 2)}\n` : describe(findings));
process.exit(findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0);

import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { describe, examine } from './app/doctor/doctor.ts';
import { reasonOf } from './app/doctor/finding.ts';

/**
 * Reads a deployment by its environment and says what is wrong with it: `npm run doctor [-- --json] [--machines 4]`. The exit code is 1 if something is
 * wrong, and 2 for an option that it does not know, or if the examination itself fails.
 */
const { json, machines } = parseOptions();
const findings = await examine(process.env, machines).catch((error: unknown) => {
  process.stderr.write(`The examination failed, and says nothing of the deployment: ${reasonOf(error)}.\n`);
  process.exit(2);
});
process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : describe(findings));
process.exit(findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0);

function parseOptions(): { json: boolean; machines: number } {
  try {
    const { values } = parseArgs({ options: { json: { type: 'boolean' }, machines: { type: 'string' } } });
    const machines = Number(values.machines ?? 1);
    if (!Number.isInteger(machines) || machines < 1 || machines > 1000)
      throw new Error('--machines must be a whole number from 1 to 1000.');
    return { json: values.json ?? false, machines };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

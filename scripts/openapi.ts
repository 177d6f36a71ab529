import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { createConfig, lint } from '@redocly/openapi-core';

/**
 * Checks schema/openapi.json as those do who make clients of it: no error by the recommended rules of Redocly, and none by swagger-parser.
 * Remarks stay: the paths are the contract's, and where null is one of the values, generators of clients understand `nullable` with `allOf`,
 * which a strict reading of examples does not.
 */
const FILE = 'schema/openapi.json';

const config = await createConfig({ extends: ['recommended'] });
const found = await lint({ ref: FILE, config });
const errors = found.filter(({ severity }) => severity === 'error');
for (const { ruleId, message, location } of errors) process.stderr.write(`${location[0]?.pointer ?? ''}: ${message} (${ruleId})\n`);
try {
  await SwaggerParser.validate(JSON.parse(readFileSync(FILE, 'utf8')));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
if (errors.length > 0) process.exitCode = 1;
if (!process.exitCode) process.stdout.write(`${FILE} is in order, with ${found.length} remarks\n`);

// npm run check: compares every REST document with the schema, and released migrations with what they were, in about a second and without a database.
import { existsSync } from 'node:fs';
import { checkDocuments } from '../src/platform/http/rest/compile.ts';
import { problemText } from '../src/platform/http/rest/problems.ts';
import { DOCUMENTS, projectSchema } from './project.ts';
import { migrationsNow, readReleased, touchedMigrations } from './release/released-migrations.ts';

const started = performance.now();
const { operations, problems } = existsSync(DOCUMENTS) ? checkDocuments(projectSchema(), DOCUMENTS) : { operations: [], problems: [] };
const touched = touchedMigrations(readReleased(), migrationsNow());
for (const problem of [...problems.map(problemText), ...touched]) console.error(problem);
const took = `${Math.round(performance.now() - started)} ms`;
const wrong = problems.length + touched.length;
console.log(wrong > 0 ? `${wrong} problem(s) in ${took}` : `${operations.length} documents are in order (${took})`);
process.exitCode = wrong > 0 ? 1 : 0;

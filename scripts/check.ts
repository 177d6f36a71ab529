// npm run check: compares every REST document with the schema, in about a second and without a database.
import { existsSync } from 'node:fs';
import { checkDocuments } from '../src/platform/http/rest/compile.ts';
import { problemText } from '../src/platform/http/rest/problems.ts';
import { DOCUMENTS, projectSchema } from './project.ts';

const started = performance.now();
const { operations, problems } = existsSync(DOCUMENTS) ? checkDocuments(projectSchema(), DOCUMENTS) : { operations: [], problems: [] };
for (const problem of problems) console.error(problemText(problem));
const took = `${Math.round(performance.now() - started)} ms`;
console.log(problems.length > 0 ? `${problems.length} problem(s) in ${took}` : `${operations.length} documents are in order (${took})`);
process.exitCode = problems.length > 0 ? 1 : 0;

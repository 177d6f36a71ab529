import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { type Ids, makeIds } from './helpers/walk.ts';
import { makeYard, type Yard } from './helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI file is read as it is written
type Json = any;

let app: TestApp;
let yard: Yard;
let ids: Ids;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
  ids = await makeIds(yard);
});
afterAll(() => app.close());

const openapi: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
const resolve = (schema: Json): Json => (schema?.$ref ? resolve(openapi.components.schemas[schema.$ref.split('/').at(-1)]) : schema);
const propertiesOf = (schema: Json): [string, Json][] => {
  const one = resolve(schema?.allOf?.[0] ?? schema);
  return Object.entries(one?.properties ?? {});
};

/** Every field of a body alone, cleared, or emptied when it is a text. */
const bodiesOf = (schema: Json): object[] =>
  propertiesOf(schema).flatMap(([name, one]) => [
    { [name]: null },
    ...(resolve(one)?.type === 'string' && !resolve(one).format ? [{ [name]: '' }] : []),
  ]);

/** Of several paths with one body the shortest. */
const CHANGES = Object.values(
  Object.groupBy(
    Object.entries<Json>(openapi.paths).flatMap(([path, { patch }]) => {
      const schema = patch?.requestBody?.content?.['application/json']?.schema;
      return schema ? [{ path, schema, promised: Object.keys(patch.responses) }] : [];
    }),
    ({ schema }) => JSON.stringify(schema),
  ),
).map((alike) => alike!.toSorted((a, b) => a.path.length - b.path.length)[0]!);

const idIn = (path: string, name: string): string | undefined => {
  const kind =
    name === 'company-id'
      ? 'company'
      : name === 'id'
        ? path.split('/').at(-2)!.replace(/ies$/, 'y').replace(/s$/, '')
        : name.replace(/-id$/, '');
  return ids[kind.replace(/[_-](.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Ids];
};

test('clearing or emptying any one field of any record is done or refused by its name, never a fault of the server', async () => {
  const told: string[] = [];
  let met = 0;
  for (const { path, schema, promised } of CHANGES) {
    const at = path.replace(/\{([^}]+)\}/g, (_, name: string) => idIn(path, name) ?? crypto.randomUUID());
    for (const body of bodiesOf(schema)) {
      const answer = await yard.http('PATCH', at, body);
      if (answer.status === 200) met++;
      if (!promised.includes(String(answer.status)))
        told.push(`${path} ${JSON.stringify(body)} -> ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  expect(told).toEqual([]);
  // Records were met, not missed.
  expect(met).toBeGreaterThan(100);
}, 300_000);

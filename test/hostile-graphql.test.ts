import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getIntrospectionQuery, print } from 'graphql';
import { requireAffordable } from '../src/platform/graphql/limits.ts';
import { excessOf } from '../src/platform/graphql/shape.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { schemaOfRooms } from '../src/serve.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { HIDDEN, HOSTILE } from './helpers/hostile.ts';
import { makeYard, type Yard } from './helpers/yard.ts';

let app: TestApp;
let closed: TestApp;
let yard: Yard;
let closedYard: Yard;
beforeAll(async () => {
  app = await startTestApp();
  closed = await startTestApp({ introspection: false });
  yard = await makeYard(app);
  closedYard = await makeYard(closed);
});
afterAll(async () => {
  await app.close();
  await closed.close();
});

/** Times a document is asked at most; asked again while it took too long. */
const RUNS = 20;
/**
 * Milliseconds of processor time that a refusal may take, asking included: what others do on the machine does not count. The quickest run
 * counts: the collector, which clears away what a process of many test files has left, takes part of the others.
 */
const MOST = 50;

/** Asks several times; each time a text of its own, so that nothing is remembered. */
async function refusal(of: Yard, query: unknown, variables?: object) {
  const times: number[] = [];
  let said: unknown[] = [];
  for (let run = 0; run < RUNS; run++) {
    const body = typeof query === 'string' ? { query: `${query}\n#${run}`, variables } : query;
    const { value, statements } = await of.app.countStatements(async () => {
      const start = process.cpuUsage();
      const answer = await of.http('POST', '/graphql', body, of.token);
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1000);
      return answer;
    });
    const { data, errors, error } = value.body;
    said = [value.status, (errors ?? [error]).length > 0, data ?? null, statements];
    if (value.status !== 400 || (run >= 2 && Math.min(...times) < MOST)) break;
  }
  return { said, least: Math.min(...times) };
}

test('there are sixty hostile documents', () => {
  expect(new Set([...HOSTILE, ...HIDDEN].map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
});

test.each(HOSTILE)('refused before anything runs: $name', async ({ query, variables }) => {
  const { said, least } = await refusal(yard, query, variables);
  expect(said).toEqual([400, true, null, []]);
  expect(least).toBeLessThan(MOST);
});

test.each(HIDDEN)('refused where the schema is not told: $name', async ({ query }) => {
  const { said, least } = await refusal(closedYard, query);
  expect(said).toEqual([400, true, null, []]);
  expect(least).toBeLessThan(MOST);
});

test('where the schema is not told, no error hints at it', async () => {
  const answer = await closed.graphql('{ orderz { nodes { id } } }', {}, { token: closedYard.token });
  expect([answer.status, JSON.stringify(answer.body).includes('Did you mean')]).toEqual([400, false]);
});

test('every document of our own passes', () => {
  const schema = schemaOfRooms();
  for (const { name, document } of compileDocuments(schema, 'schema/rest')) {
    expect([name, excessOf(print(document))]).toEqual([name, undefined]);
    expect(() => requireAffordable(schema, document, name, { page: { limit: 100 } }, 'en')).not.toThrow();
  }
});

test('what GraphiQL asks of the schema passes, and so does a dashboard', async () => {
  const asked = await yard.gql(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }));
  expect(asked.data.__schema.queryType.name).toBe('Query');
  const dashboard =
    '{ orders(first: 25) { nodes { id orderId state jobs(first: 25) { nodes { id jobId state loads(first: 25) { nodes { id state } } } } } } }';
  expect((await yard.gql(dashboard)).errors).toBeUndefined();
});

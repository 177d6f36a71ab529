import 'reflect-metadata';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Field, getMetadataStorage, InputType } from 'type-graphql';
import { until } from '../helpers/until.ts';
import { oldestFirst } from '../jest/oldest-first.ts';

/**
 * Parts of libraries that are not documented and that the product uses. An upgrade may change them without a word; then the test fails
 * with the file that must be read before the upgrade is accepted.
 */
const broken = (findings: Record<string, boolean>): string[] => Object.keys(findings).filter((finding) => !findings[finding]);

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: process.env.HAULGATE_TEST_SERVER });
  await client.connect();
});
afterAll(() => client.end());

const has = (object: unknown, name: string, type: string): boolean =>
  typeof (object as Record<string, unknown> | undefined)?.[name] === type;

test('pg has the internals that scoped statements use', async () => {
  const query = pg.Query.prototype;
  const { connection } = client as unknown as { connection: object };
  const submitted: string[] = [];
  // A prepared statement is noted by its name when PostgreSQL has parsed it, and not before.
  await client.query({ name: 'internals', text: 'select 1' });
  const { parsedStatements } = connection as { parsedStatements: Record<string, string> };
  submitted.push(parsedStatements.internals ?? '');
  const read = 'src/platform/database/connection/scoped-message.ts';
  const owing = () => (client as unknown as { readyForQuery: unknown }).readyForQuery;
  const answer = client.query('select 1');
  const whileOwing = owing();
  await answer;
  const { stream } = connection as { stream: { bytesRead: number } };
  expect(
    broken({
      'the client has readyForQuery, and its stream bytesRead: src/platform/database/connection/silent-servers.ts judges a server by them':
        whileOwing === false && owing() === true && stream.bytesRead > 0,
      [`pg.Query has prepare(connection): ${read} puts the scope into its message`]: has(query, 'prepare', 'function'),
      [`pg.Query has handleCommandComplete(message, connection): ${read} waits for the scope's first`]: has(
        query,
        'handleCommandComplete',
        'function',
      ),
      [`pg.Query has handleRowDescription, handleDataRow and handleReadyForQuery: ${read} has several of them in a message`]: [
        'handleRowDescription',
        'handleDataRow',
        'handleReadyForQuery',
      ].every((name) => has(query, name, 'function')),
      [`a pg.Query has its result: ${read} reads how many rows were written, and gives it the types of the client`]: has(
        new pg.Query('select 1'),
        '_result',
        'object',
      ),
      [`pg.Query has handleError(error, connection): ${read} forgets the scope then`]: has(query, 'handleError', 'function'),
      [`the connection has parse, bind, execute and close: ${read} writes the scope by them`]: ['parse', 'bind', 'execute', 'close'].every(
        (name) => has(connection, name, 'function'),
      ),
      [`the connection notes parsed statements by name: ${read} parses the scope once`]: submitted[0] === 'select 1',
      [`the connection notes submitted statements by name: ${read} forgets those that failed`]: has(
        connection,
        'submittedNamedStatements',
        'object',
      ),
      'the client has getTransactionStatus(): src/platform/database/connection/scoped-query.ts cancels reads only, and not commands':
        has(client, 'getTransactionStatus', 'function') &&
        (client as unknown as { getTransactionStatus(): string }).getTransactionStatus() === 'I',
      'the client has processID and secretKey as numbers: src/platform/database/cancel.ts cancels by them':
        has(client, 'processID', 'number') && has(client, 'secretKey', 'number'),
      'the client has host and port: src/platform/database/cancel.ts connects to them':
        has(client, 'host', 'string') && has(client, 'port', 'number'),
    }),
  ).toEqual([]);
});

test.each([
  ['hands out the oldest free connection', 0, 3],
  ['keeps the oldest connections', 50, 2],
])('a pool of pg %s, as test/jest/oldest-first.ts has it do', async (_, idleTimeoutMillis, left) => {
  const pool = new pg.Pool({ connectionString: process.env.HAULGATE_TEST_SERVER, min: 2, max: 3, idleTimeoutMillis });
  oldestFirst(pool);
  try {
    const opened = [await pool.connect(), await pool.connect(), await pool.connect()];
    for (const at of [0, 2, 1]) opened[at]!.release();
    await until(() => pool.totalCount === left);
    const taken = [];
    for (let one = 0; one < left; one++) taken.push(await pool.connect());
    for (const one of taken) one.release();
    expect(taken.map((one) => opened.indexOf(one))).toEqual([0, 1, 2].slice(0, left));
  } finally {
    await pool.end();
  }
});

test('type-graphql has its metadata where the schema reads them', () => {
  @InputType()
  class InternalsInput {
    @Field({ nullable: true, deprecationReason: 'asked for by a test' })
    name?: string;
  }
  const storage = getMetadataStorage() as unknown as Record<string, unknown>;
  const fields = storage.fields as { target: Function; name: string; schemaName: string; deprecationReason?: string }[] | undefined;
  const field = fields?.find(({ target }) => target === InternalsInput);
  const read = 'src/platform/graphql/schema.ts';
  expect(
    broken({
      [`MetadataStorage has findExtensions(target, fieldName): ${read} replaces it by one with an index`]:
        has(Object.getPrototypeOf(storage), 'findExtensions', 'function') &&
        (Object.getPrototypeOf(storage) as { findExtensions: Function }).findExtensions.length === 2,
      [`MetadataStorage lists fieldExtensions, classExtensions, inputTypes and fields: ${read} reads them`]: [
        'fieldExtensions',
        'classExtensions',
        'inputTypes',
        'fields',
      ].every((name) => Array.isArray(storage[name])),
      [`a field's metadata has its class, its two names and its deprecation: ${read} gives them to inputs that inherit it`]:
        field?.name === 'name' && field.schemaName === 'name' && field.deprecationReason === 'asked for by a test',
    }),
  ).toEqual([]);
});

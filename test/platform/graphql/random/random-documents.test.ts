import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { makeBooks } from '../../../billing/books.ts';
import { dice, seedOf, sweepRuns } from '../../../helpers/properties.ts';
import { makeScene } from '../../../reporting/everywhere/corrections.ts';
import { DECIDING, decided, draw, type Known, partOf, type Selected } from './selections.ts';
import { plainly, variously, type Written } from './written.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not typed
type Json = any;

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
const books = makeBooks({ worker: true });
let callers: readonly ((query: string, variables?: Record<string, unknown>) => Promise<Json>)[];
let known: Known;

beforeAll(async () => {
  const { admin, at, own } = await makeScene(books);
  await own.app.settled();
  callers = [admin.gql, own.biller.gql, at.driver.gql, (query, variables) => at.gql(query, variables)];
  const ids = new Map<string, string[]>();
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    const type = getNamedType(field.type);
    if (!type.name.endsWith('Connection') || !isObjectType(type) || field.args.some((arg) => String(arg.type).endsWith('!'))) continue;
    const node = getNamedType(type.getFields().nodes?.type ?? type);
    if (!isObjectType(node) || !node.getFields().id) continue;
    const { data } = await admin.gql(`{ ${field.name}(first: 5) { nodes { id } } }`);
    ids.set(node.name, [...(ids.get(node.name) ?? []), ...(data?.[field.name]?.nodes ?? []).map(({ id }: Json) => id)]);
  }
  known = ids;
}, 120_000);

/** What an answer has, and what failed in it by its place. */
const shown = ({ data, errors = [] }: Json): Json => ({
  data,
  errors: errors.map(({ path, message, extensions }: Json) => `${path?.join('.') ?? message} ${extensions?.code}`).sort(),
});

/** The part of an answer that was asked for, where the whole has it. */
function projected(value: Json, fields: readonly Selected[]): Json {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((one) => projected(one, fields));
  return Object.fromEntries(fields.map(({ key, type, fields: below }) => [key, type ? projected(value[key], below) : value[key]]));
}

test('a document is answered as it is meant, in whatever way it is written, and a part of it as within the whole', async () => {
  const runs = sweepRuns(80);
  let [compared, values] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const random = dice(seedOf(`document ${run}`));
    const fields = draw(known, random)(schema.getQueryType()!, 2 + random.below(4));
    const write = variously(fields, random);
    const by = random.of(callers);
    const ask = ({ query, variables }: Written): Promise<Json> => by(query, variables);
    for (let round = 0; round < 3; round++) {
      const deciding = Array.from({ length: DECIDING }, () => random.chance(0.5));
      const meant = decided(fields, deciding);
      const [plain, various] = [plainly(meant), write(deciding)];
      const wanted = shown(await ask(plain));
      const got = shown(await ask(various));
      if ([wanted, got].some(({ errors }) => errors.some((one: string) => /asks for too much|query_too_expensive/.test(one)))) continue;
      compared++;
      values += JSON.stringify(wanted.data ?? null).length;
      expect([run, plain.query, various, got]).toEqual([run, plain.query, various, wanted]);
      if (wanted.errors.length > 0) continue;
      const part = partOf(meant, random);
      const some = plainly(part);
      expect([run, plain.query, some.query, shown(await ask(some))]).toEqual([
        ...[run, plain.query, some.query],
        { data: projected(wanted.data, part), errors: [] },
      ]);
    }
  }
  expect([compared > runs, values > compared * 200]).toEqual([true, true]);
}, 600_000);

import { makeExecutableSchema } from '@graphql-tools/schema';
import { expect, test } from '@jest/globals';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, parse } from 'graphql';
import type { Context } from '../../../src/platform/context.ts';
import { preparer } from '../../../src/platform/graphql/execute.ts';
import { DateTime, Json } from '../../../src/platform/scalars.ts';

const PILE = { name: 'sand', tons: 12.5, stones: 3, isOpen: true, state: 0, at: '2026-11-20T07:00:00.123456+00:00', more: { a: [1] } };
/** Records as resolvers give them, in which all is as their types say, and others. */
const PILES: Record<string, unknown> = {
  plain: { ...PILE, id: 'a', tags: ['wet', 'dry'], below: { ...PILE, id: 'b', tags: [] } },
  sparse: { id: 'c', tags: [], name: null, below: undefined },
  coerced: { ...PILE, id: 7, name: 8, tons: '1.5', stones: '4', isOpen: 1, tags: [1, true], at: new Date(0) },
  odd: { ...PILE, id: 'd', stones: 2 ** 40, tons: Number.NaN, state: 9, at: 'never', tags: ['wet', null] },
  nameless: { ...PILE, id: null, tags: [] },
  failed: { ...PILE, id: 'e', tags: [], name: new Error('no name') },
  deep: { ...PILE, id: 'f', tags: [], below: { ...PILE, id: null, tags: [] } },
  iterable: { ...PILE, id: 'g', tags: new Set(['wet']) },
  absent: null,
};

/** The schema of a yard, whose root fields note that they were asked. */
function yard(): { schema: GraphQLSchema; asked: string[] } {
  const asked: string[] = [];
  const pile = (_source: unknown, { of }: { of: string }) => {
    asked.push(of);
    if (of === 'thrown') throw new Error('thrown');
    return of === 'late' ? Promise.reject(new Error('late')) : Promise.resolve(PILES[of]);
  };
  const typeDefs = /* GraphQL */ `
    scalar DateTime
    scalar JSON
    enum State { open closed }
    type Pile {
      id: ID! name: String tons: Float stones: Int isOpen: Boolean state: State at: DateTime more: JSON tags: [String!]
      below: Pile
      echo(text: String = "none", texts: [String!]): String
      soon(fails: Boolean): Pile
      both: [Pile]
    }
    type Query { pile(of: String!): Pile piles(of: [String!]!): [Pile!] count: Int! }
    type Mutation { fill(of: String!): Pile }
  `;
  const resolvers = {
    DateTime,
    JSON: Json,
    State: { open: 0, closed: 1 },
    Pile: {
      echo: ({ id }: { id: unknown }, given: object, _ctx: unknown, info: { path: { key: string | number }; fieldName: string }) =>
        `${id} ${JSON.stringify(given)} ${info.path.key} ${info.fieldName}`,
      soon: async (source: { below: unknown }, { fails }: { fails?: boolean }) => {
        if (fails) throw new Error('not soon');
        return source.below;
      },
      both: (source: { below: unknown }) => [source.below, Promise.resolve(source)],
    },
    Query: {
      pile,
      piles: (_source: unknown, { of }: { of: string[] }) => {
        asked.push(...of);
        return of.map((one) => PILES[one]);
      },
      count: () => Object.keys(PILES).length,
    },
    Mutation: { fill: pile },
  };
  return { schema: makeExecutableSchema({ typeDefs, resolvers }), asked };
}

const shown = ({ data, errors }: ExecutionResult) => ({
  data: JSON.parse(JSON.stringify(data)),
  paths: (errors ?? []).map(({ path }) => path?.join('.')).sort(),
});

/** The answers of this executor, twice, and of graphql-js; and how often root fields were asked for each. */
async function answers(source: string, variables: Record<string, unknown> = {}) {
  const document: DocumentNode = parse(source);
  const { schema, asked } = yard();
  const run = preparer(schema)(document);
  const compiled: ReturnType<typeof shown>[] = [];
  const counts: string[] = [];
  const ask = async (answer: () => ExecutionResult | Promise<ExecutionResult>) => {
    asked.length = 0;
    const result = shown(await answer());
    counts.push(asked.join());
    return result;
  };
  for (let round = 0; round < 2; round++) compiled.push(await ask(() => run(variables, {} as Context)));
  const wanted = await ask(() => execute({ schema, document, variableValues: variables }) as Promise<ExecutionResult>);
  return { compiled, wanted, counts };
}

const ALL = 'id name tons stones isOpen state at more tags __typename';

test.each(Object.keys(PILES))('an answer of a record that is %s is the one of graphql-js, and its resolver runs once', async (of) => {
  const { compiled, wanted, counts } = await answers(
    `query ($of: String!) { pile(of: $of) { ...P below { ...P } } } fragment P on Pile { ${ALL} }`,
    { of },
  );
  expect(compiled).toEqual([wanted, wanted]);
  expect(counts).toEqual([of, of, of]);
});

test.each([
  [
    'aliases and merged selections',
    '{ a: pile(of: "plain") { one: id below { id } } b: pile(of: "sparse") { id two: name } pile(of: "deep") { below { tons } below { name } } }',
  ],
  ['lists with records that fail', '{ piles(of: ["plain", "sparse", "nameless"]) { id below { id } } count }'],
  ['root fields that fail next to others', '{ a: pile(of: "thrown") { id } b: pile(of: "late") { id } c: pile(of: "plain") { id } }'],
  ['an unusual record next to one that fails', '{ a: pile(of: "late") { id } b: pile(of: "deep") { id below { id } } count }'],
  [
    'resolvers of fields',
    '{ pile(of: "plain") { id echo again: echo(text: "x", texts: ["y"]) soon { echo soon { id } } below { echo } } }',
  ],
  ['a resolver of a field that fails', '{ pile(of: "plain") { id soon(fails: true) { id } below { id } } }'],
  ['resolvers that give lists with promises', '{ pile(of: "plain") { both { id echo } } }'],
  ['types by condition', '{ pile(of: "plain") { ... on Pile { id } ... { name } } }'],
  [
    'commands in their order',
    'mutation { a: fill(of: "plain") { id } b: fill(of: "late") { id } c: fill(of: "deep") { below { id } } d: fill(of: "sparse") { id } }',
  ],
])('%s are answered as by graphql-js', async (_what, source) => {
  const { compiled, wanted, counts } = await answers(source);
  expect(compiled).toEqual([wanted, wanted]);
  expect(new Set(counts).size).toBe(1);
});

test.each([true, false])('variables decide about fields (%s)', async (also) => {
  const { compiled, wanted } = await answers(
    'query ($also: Boolean!, $text: String) { pile(of: "plain") { id echo(text: $text) name @include(if: $also) below @skip(if: $also) { id } } }',
    { also, text: 'z' },
  );
  expect(compiled).toEqual([wanted, wanted]);
});

test('what a document asks for does not depend on another one with the same fragments', async () => {
  const { schema } = yard();
  const prepare = preparer(schema);
  const outer = parse('fragment Outer on Pile { id below { ...Inner } }').definitions[0]!;
  const documentOf = (inner: string): DocumentNode => {
    const { definitions, kind } = parse(`{ pile(of: "plain") { ...Outer } } fragment Inner on Pile { ${inner} }`);
    return { kind, definitions: [...definitions, outer] };
  };
  const ask = async (inner: string) => (await prepare(documentOf(inner))({}, {} as Context)).data;
  expect(await ask('name')).toEqual({ pile: { id: 'a', below: { name: 'sand' } } });
  expect(await ask('tons')).toEqual({ pile: { id: 'a', below: { tons: 12.5 } } });
});

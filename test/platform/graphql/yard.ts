import { makeExecutableSchema } from '@graphql-tools/schema';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { DateTime, Json } from '../../../src/platform/scalars.ts';

export const PILE = {
  name: 'sand',
  tons: 12.5,
  stones: 3,
  isOpen: true,
  state: 0,
  at: '2026-11-20T07:00:00.123456+00:00',
  more: { a: [1] },
};
/** Records as resolvers give them, in which all is as their types say, and others. */
export const PILES: Record<string, unknown> = {
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

/** The schema of a yard, whose root fields note that they were asked. @param states their values by their names */
export function yard(states: Record<string, number> = { open: 0, closed: 1 }): { schema: GraphQLSchema; asked: string[] } {
  const asked: string[] = [];
  let tries = 0;
  const pile = (_source: unknown, { of }: { of: string }) => {
    asked.push(of);
    if (of === 'thrown') throw new Error('thrown');
    return of === 'late' ? Promise.reject(new Error('late')) : Promise.resolve(PILES[of]);
  };
  const typeDefs = /* GraphQL */ `
    scalar DateTime
    scalar JSON
    enum State { open closed }
    interface Named { id: ID! }
    union Thing = Pile
    type Pile implements Named {
      id: ID! name: String tons: Float stones: Int isOpen: Boolean state: State at: DateTime more: JSON tags: [String!]
      below: Pile
      echo(text: String = "none", texts: [String!]): String
      soon(fails: Boolean): Pile
      both: [Pile]
      refused: [String]
      second: Int
    }
    type Query {
      pile(of: String!): Pile piles(of: [String!]!): [Pile!] count: Int!
      sure(of: String!): Pile! surely(of: [String!]!): [Pile!]! any(of: String!): Thing slow: Pile
    }
    type Mutation { fill(of: String!): Pile }
  `;
  const resolvers = {
    DateTime,
    JSON: Json,
    State: states,
    Named: { __resolveType: () => 'Pile' },
    Thing: { __resolveType: () => 'Pile' },
    Pile: {
      echo: ({ id }: { id: unknown }, given: object, _ctx: unknown, info: { path: { key: string | number }; fieldName: string }) =>
        `${id} ${JSON.stringify(given)} ${info.path.key} ${info.fieldName}`,
      soon: async (source: { below: unknown }, { fails }: { fails?: boolean }) => {
        if (fails) throw new Error('not soon');
        return source.below;
      },
      both: (source: { below: unknown }) => [source.below, Promise.resolve(source)],
      refused: () => [Promise.reject(new Error('refused'))],
      // Every second try goes well.
      second: async () => {
        if (++tries % 2 === 1) throw new Error('not at first');
        return tries;
      },
    },
    Query: {
      pile,
      sure: pile,
      any: pile,
      piles: (_source: unknown, { of }: { of: string[] }) => {
        asked.push(...of);
        return of.map((one) => PILES[one]);
      },
      surely: (_source: unknown, { of }: { of: string[] }) => of.map((one) => PILES[one]),
      slow: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
        return PILES.plain;
      },
      count: () => Object.keys(PILES).length,
    },
    Mutation: { fill: pile },
  };
  return { schema: makeExecutableSchema({ typeDefs, resolvers }), asked };
}

/** What answers are compared by. */
export const shown = ({ data, errors }: ExecutionResult) => ({
  data: JSON.parse(JSON.stringify(data)),
  paths: (errors ?? []).map(({ path }) => path?.join('.')).sort(),
});

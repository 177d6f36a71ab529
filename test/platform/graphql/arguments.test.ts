import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { type GraphQLSchema, graphql } from 'graphql';
import { Arg, Args, ArgsType, buildSchemaSync, Field, InputType, Int, Query, Resolver } from 'type-graphql';
import { readArgumentsAtOnce } from '../../../src/platform/graphql/arguments.ts';

@InputType()
class NamedPart {
  @Field({ nullable: true }) name?: string;
}
@InputType()
class HeapPart extends NamedPart {
  @Field(() => Int) size: number = 3;
  @Field(() => Int, { nullable: true }) height?: number | null;
  @Field(() => [HeapPart], { nullable: true }) parts?: HeapPart[] | null;
}
@ArgsType()
class PagedHeaps {
  @Field(() => Int, { nullable: true }) first?: number | null;
}
@ArgsType()
class HeapArgs extends PagedHeaps {
  @Field(() => HeapPart, { nullable: true }) filter?: HeapPart | null;
  @Field(() => [[HeapPart]], { nullable: true }) rows?: HeapPart[][] | null;
}

const taken: unknown[] = [];

@Resolver()
class HeapResolver {
  @Query(() => Int)
  heaps(@Args(() => HeapArgs) args: HeapArgs): number {
    return taken.push(args);
  }

  @Query(() => Int)
  heap(
    @Arg('part', () => HeapPart) part: HeapPart,
    @Arg('others', () => [HeapPart], { nullable: true }) others?: HeapPart[] | null,
    @Arg('note', { nullable: true }) note?: string,
  ): number {
    return taken.push([part, others, note]);
  }
}

const QUERIES = [
  '{ heaps }',
  '{ heaps(first: null, filter: null) }',
  '{ heaps(first: 2, filter: { size: 1, name: "a", height: null }) }',
  '{ heaps(filter: { parts: [{ parts: [] }, { size: 9, parts: [{ name: "deep" }] }] }, rows: [[{}], [{ size: 2 }]]) }',
  '{ heap(part: {}) }',
  '{ heap(part: { parts: null, name: "a" }, others: [{ height: 4 }], note: "") }',
  '{ heap(part: { parts: { name: "alone" } }, others: null, note: null) }',
];

/** A value with the class of each object in it, and which fields are absent. */
function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : value;
  return { '': value.constructor?.name, ...Object.fromEntries(Object.entries(value).map(([key, one]) => [key, described(one)])) };
}

async function takenBy(schema: GraphQLSchema): Promise<unknown[]> {
  taken.length = 0;
  for (const source of QUERIES) {
    const { errors } = await graphql({ schema, source });
    expect([source, errors]).toEqual([source, undefined]);
  }
  return taken.map(described);
}

test('resolvers get the arguments that type-graphql would give them', async () => {
  const make = () => buildSchemaSync({ resolvers: [HeapResolver], validate: false });
  const usual = await takenBy(make());
  expect(usual).toHaveLength(QUERIES.length);
  expect(usual[3]).toMatchObject({ '': 'HeapArgs', filter: { '': 'HeapPart', size: 3, parts: [{ size: 3 }, { size: 9 }] } });
  expect(await takenBy(readArgumentsAtOnce(make))).toEqual(usual);
  // A second schema of the same classes is made of what was declared.
  expect(await takenBy(readArgumentsAtOnce(make))).toEqual(usual);
});

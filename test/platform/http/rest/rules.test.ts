import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { Arg, buildSchemaSync, Field, InputType, Int, Query, Resolver } from 'type-graphql';
import { enforceRules, Length, Range } from '../../../../src/platform/graphql/rules.ts';

@InputType()
class StopInput {
  @Field(() => Int) @Range(1) places!: number;
}
@InputType()
class CreateTourInput {
  @Field(() => String) @Length(1, 5) name!: string;
  @Field(() => Int, { nullable: true }) @Range(1, 200) truckCount?: number | null;
  @Field(() => [StopInput], { nullable: true }) stops?: StopInput[] | null;
}
@Resolver()
class Tours {
  @Query(() => Int)
  tour(@Arg('input', () => CreateTourInput) input: CreateTourInput): number {
    return input.name.length;
  }
}
const schema = buildSchemaSync({ resolvers: [Tours], validateFn: enforceRules });

test('GraphQL callers get the same rules, all at once', async () => {
  const result = await graphql({
    schema,
    source: '{ tour(input: { name: "sandpit", truckCount: 201, stops: [{ places: 1 }, { places: 0 }] }) }',
  });
  expect(result.errors?.[0]?.originalError).toMatchObject({
    status: 422,
    items: [
      { model: 'Tour', field: 'name', key: 'wrong_length', params: { min: 1, max: 5 } },
      { model: 'Tour', field: 'truckCount', key: 'out_of_range', params: { min: 1, max: 200 } },
      { model: 'Tour', field: 'stops.1.places', key: 'at_least', params: { min: 1 } },
    ],
  });
  expect(await graphql({ schema, source: '{ tour(input: { name: "sand", truckCount: null }) }' })).toEqual({
    data: expect.objectContaining({ tour: 4 }),
  });
});

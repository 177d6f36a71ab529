import { expect, test } from '@jest/globals';
import { GraphQLEnumType, GraphQLObjectType, GraphQLSchema, GraphQLString, isScalarType, isSpecifiedScalarType } from 'graphql';
import { clientSchemaOfRooms } from '../../../src/app/serve.ts';
import { describeSchema, undescribed, wordsOf } from '../../../src/platform/graphql/describe.ts';

test('every element of the schema has a description', () => {
  expect(undescribed(clientSchemaOfRooms())).toEqual([]);
});

test('every scalar says by what it is specified', () => {
  const scalars = Object.values(clientSchemaOfRooms().getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  expect(scalars.flatMap((type) => (isScalarType(type) && type.specifiedByURL ? [] : [type.name]))).toEqual([]);
});

test('an element without a description is named, and a word for one type comes before the word for all', () => {
  const state = new GraphQLEnumType({ name: 'State', values: { open: {} } });
  const schema = () =>
    new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { piles: { type: state, args: { near: { type: GraphQLString } } } } }),
    });
  expect(undescribed(schema())).toEqual(['type Query', 'root piles Query', 'argument near piles', 'type State', 'value open State']);
  const made = schema();
  const values = wordsOf('open: Not closed.\nState.open: It can be taken from.');
  describeSchema(made, { types: wordsOf('State: How a pile is.'), roots: new Map(), fields: new Map(), arguments: new Map(), values });
  expect(state.getValue('open')?.description).toBe('It can be taken from.');
  expect(undescribed(made)).toEqual(['type Query', 'argument near piles']);
});

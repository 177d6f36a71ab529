import { expect, test } from '@jest/globals';
import { type ExecutionResult, execute, parse } from 'graphql';
import type { Context } from '../../../src/platform/context.ts';
import { preparer } from '../../../src/platform/graphql/execute.ts';
import { shown, yard } from './yard.ts';

test.each([
  '{ pile(of: "plain") { id } ...Q @include(if: $a) }',
  '{ pile(of: "plain") @skip(if: $a) { id } count }',
  '{ pile(of: "plain") { id name @include(if: $a) } count }',
  '{ sure(of: "plain") { id below { id name @skip(if: $a) } } count }',
  '{ surely(of: ["plain"]) { ... @include(if: $a) { id } } }',
  // Nothing is asked of it.
  '{ pile(of: "absent") { name @include(if: $a) } count }',
  '{ any(of: "plain") { ... on Pile @include(if: $a) { id } } count }',
])('%s is answered as by graphql-js where a condition is null', async (source) => {
  const document = parse(`query ($a: Boolean = true) ${source} fragment Q on Query { count }`);
  const { schema } = yard();
  const run = preparer(schema)(document);
  const described = ({ data, errors = [] }: ExecutionResult) => ({
    data: JSON.parse(JSON.stringify(data)),
    errors: errors.map(({ message, path, locations }) => ({ message, path, locations })),
  });
  for (const variableValues of [{ a: null }, { a: false }, { a: null }, {}])
    expect([variableValues, described(await run(variableValues, {} as Context))]).toEqual([
      variableValues,
      described(await execute({ schema, document, variableValues })),
    ]);
});

test('a command in which a condition is null is refused before anything is done; a null of another operation, or of an argument, is none', async () => {
  const { schema, asked } = yard();
  const document = parse(`mutation Fill($a: Boolean = true) { fill(of: "plain") { id ...B } } fragment B on Pile { name @include(if: $a) }
    query Other($b: Boolean = true) { pile(of: "plain") { soon(fails: $b) { id } } } query Third($b: Boolean = true) { count @include(if: $b) }`);
  const fill = preparer(schema)(document, 'Fill');
  const { data, errors } = await fill({ a: null }, {} as Context);
  expect([data, errors?.map(({ message, nodes }) => [message, nodes?.length]), asked]).toEqual([
    null,
    [['Argument "if" of non-null type "Boolean!" must not be null.', 1]],
    [],
  ]);
  expect(shown(await fill({ a: false, b: null }, {} as Context))).toEqual({ data: { fill: { id: 'a' } }, paths: [] });
  expect(asked).toEqual(['plain']);
  const other = await preparer(schema)(document, 'Other')({ b: null }, {} as Context);
  expect(other.errors).toBeUndefined();
});

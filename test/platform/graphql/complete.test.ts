import { expect, test } from '@jest/globals';
import { type DocumentNode, type ExecutionResult, execute, parse } from 'graphql';
import type { Context } from '../../../src/platform/context.ts';
import { letGoOfAnswers } from '../../../src/platform/graphql/complete/roots.ts';
import { type Execute, preparer } from '../../../src/platform/graphql/execute.ts';
import { PILE, PILES, shown, yard } from './yard.ts';

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
  ['interfaces', '{ pile(of: "plain") { ... on Named { id } ...N below { ...N } } } fragment N on Named { __typename other: id }'],
  ['unions next to others', '{ any(of: "plain") { __typename ... on Pile { id below { id } } } pile(of: "plain") { __typename id } }'],
  ['root fields that may not be null, and are', '{ sure(of: "absent") { id } count }'],
  ['root fields that may not be null, and fail', '{ sure(of: "late") { id } count }'],
  ['root fields that may not be null, and lack a value', '{ sure(of: "nameless") { id } count }'],
  ['lists that may not be null, with a record that lacks a value', '{ pile(of: "plain") { id } surely(of: ["plain", "nameless"]) { id } }'],
  ['fields with different arguments', '{ pile(of: "plain") { a: echo(text: "x") b: echo(text: "y") echo } }'],
  ['elements that are rejected while another field is awaited', '{ slow { id } pile(of: "plain") { refused } }'],
  [
    'questions about the schema next to others',
    `{ pile(of: "plain") { id } __type(name: "Query") { fields { name type { name kind } } }
       __schema { queryType { fields { name type { name kind ofType { name } } } } } }`,
  ],
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

test.each([
  '{ sure(of: "plain") { id ...B @include(if: $a) } pile(of: "plain") { ...B below { ...B @skip(if: $b) } } }',
  '{ sure(of: "plain") { ...B @include(if: $a) ...B @include(if: $b) ... @skip(if: $a) { ...B } } }',
  '{ pile(of: "plain") { id } ...Q @include(if: $a) ...Q @skip(if: $b) }',
  '{ pile(of: "plain") { id } pile(of: "plain") @include(if: $a) { ... on Pile { name ...B } below @skip(if: $b) { ...C } } }',
  '{ pile(of: "plain") @include(if: $a) { ...C } count @include(if: $c) other: pile(of: "deep") @skip(if: $c) { id @include(if: $a) @skip(if: $b) } }',
  '{ pile(of: "plain") { soon { ...C @include(if: $c) } both { ... @include(if: $a) { ...C } id @skip(if: $b) } } }',
  '{ pile(of: "plain") @include(if: $a) { id } surely(of: ["plain"]) @include(if: $c) { id @skip(if: $b) below { ...B @include(if: $a) } } }',
  '{ any(of: "plain") { ... on Pile @include(if: $a) { ...C } ... on Named @skip(if: $b) { id } } }',
])('%s is answered as by graphql-js, whatever is included and skipped', async (source) => {
  const document = `query ($a: Boolean!, $b: Boolean = true, $c: Boolean = false) ${source}
    fragment B on Pile { name tons } fragment C on Pile { ...B stones @include(if: $b) below { id ...B @skip(if: $c) } } fragment Q on Query { pile(of: "plain") { ...C } }`;
  const { schema } = yard();
  const run = preparer(schema)(parse(document));
  const values = [true, false].flatMap((a) => [{ a }, ...[true, false].flatMap((b) => [true, false].map((c) => ({ a, b, c })))]);
  // More selections than are kept compiled, and each of them again.
  for (const variableValues of [...values, ...values.toReversed()]) {
    const wanted = await execute({ schema, document: parse(document), variableValues });
    expect([variableValues, shown(await run(variableValues, {} as Context))]).toEqual([variableValues, shown(wanted)]);
  }
  expect(await run({}, {} as Context)).toEqual({ errors: [expect.objectContaining({ message: expect.stringContaining('$a') })] });
});

test('two operations that spread one fragment under other conditions have their own answers', async () => {
  const document =
    parse(`query One($a: Boolean!) { pile(of: "plain") { id ...B @include(if: $a) } } query Two { pile(of: "plain") { id ...B } }
    fragment B on Pile { name }`);
  const [one, two] = ['One', 'Two'].map((name) => preparer(yard().schema)(document, name)) as [Execute, Execute];
  for (let round = 0; round < 2; round++) {
    expect(await one({ a: false }, {} as Context)).toEqual({ data: { pile: { id: 'a' } } });
    expect(await two({}, {} as Context)).toEqual({ data: { pile: { id: 'a', name: 'sand' } } });
    expect(await one({ a: true }, {} as Context)).toEqual({ data: { pile: { id: 'a', name: 'sand' } } });
  }
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

test.each([
  '{ pile(of: "plain") { __proto__: id constructor: name toString: tons hasOwnProperty: stones then: state } }',
  '{ pile(of: "plain") { __proto__: below { id } valueOf: soon { id } } }',
  '{ __proto__: pile(of: "plain") { id } constructor: pile(of: "sparse") { id } toString: count }',
])('names that all objects have are answered like others (%s)', async (source) => {
  const { compiled, wanted } = await answers(source);
  const texts = compiled.map((one) => JSON.stringify(one));
  expect(texts).toEqual([JSON.stringify(wanted), JSON.stringify(wanted)]);
  expect(texts[0]).toContain('"__proto__"');
});

test('names in a document are no code', async () => {
  const alias = 'a'.repeat(200);
  const { compiled, wanted } = await answers(`{ pile(of: "plain") { ${alias}: echo(text: "\\"]; throw 1; //\u2028") id } }`);
  expect(compiled).toEqual([wanted, wanted]);
});

test('a resolver that failed once does not change how the document is answered from then on', async () => {
  const run = preparer(yard().schema)(parse('{ pile(of: "plain") { second } }'));
  // Each time it is asked once more after it failed.
  for (const second of [2, 4, 6]) expect(await run({}, {} as Context)).toEqual({ data: { pile: { second } } });
});

test('one document is answered by each of two schemas', async () => {
  const document = parse('{ pile(of: "plain") { state below { ...S } } } fragment S on Pile { state }');
  const runs = [yard(), yard({ open: 1, closed: 0 })].map(({ schema }) => preparer(schema)(document));
  for (let round = 0; round < 2; round++) {
    const states = await Promise.all(runs.map(async (run) => shown(await run({}, {} as Context)).data.pile));
    expect(states).toEqual(['open', 'closed'].map((state) => ({ state, below: { state } })));
  }
});

test('what is sent is emptied, and nothing of what it was made of', async () => {
  const run = preparer(yard().schema)(parse('{ pile(of: "plain") { id more below { id } } piles(of: ["plain"]) { id more } }'));
  const pile = { id: 'a', more: { a: [1] }, below: { id: 'b' } };
  for (let time = 0; time < 3; time++) {
    const { data } = (await run({}, {} as Context)) as { data: Record<string, unknown> };
    expect(data).toEqual({ pile, piles: [{ id: 'a', more: { a: [1] } }] });
    letGoOfAnswers(data);
    expect(data).toEqual({ pile: {}, piles: [] });
  }
  expect(PILES.plain).toMatchObject({ ...PILE, below: { id: 'b' } });
});

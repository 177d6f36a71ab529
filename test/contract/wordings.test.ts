import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { expectationOf } from '../helpers/walk.ts';

interface Listed {
  method: string;
  path: string;
  errors: number[];
}

/** A scoped path and its un-scoped twin are one operation, and path parameters are called differently here and there. */
const keyOf = ({ method, path }: { method: string; path: string }) =>
  `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`.replace('/companies/{}/', '/');

const listed = JSON.parse(readFileSync(new URL('./operations.json', import.meta.url), 'utf8')) as Listed[];
const contract = Map.groupBy(listed, keyOf);
const served = compileDocuments(schemaOfRooms(), 'schema/rest', true).flatMap((operation) => {
  const addresses = contract.get(keyOf(operation));
  return addresses ? [{ ...operation, errors: addresses.map(({ errors }) => errors) }] : [];
});
const names = (operations: { method: string; path: string }[]) => operations.map(({ method, path }) => `${method} ${path}`).sort();

/** True for an operation that the contract lists, at each of its addresses, with one status and without the other. */
const has =
  (status: number, not: number) =>
  ({ errors }: { errors: number[][] }) =>
    errors.every((one) => one.includes(status) && !one.includes(not));

/** Everybody who is signed in may use these, about themselves or their company, so that nobody is refused for a permission. */
const open = ['everybody', 'public', 'session', 'person', 'company'];

test('what is wrong with a request is a 400 for the operations that have 400 and no 422 in the contract, and for no others', () => {
  const ours = served.filter(({ invalid }) => invalid === 400);
  expect(names(ours)).toEqual(names(served.filter(has(400, 422))));
  // There are some to look at.
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.flatMap(({ errors }) => errors).length).toBeGreaterThan(70);
});

test('a missing permission is a 404 for the operations that require one and have 404 and no 403 in the contract, and for no others', () => {
  const ours = served.filter(({ denied }) => denied === 404);
  const requiring = served.filter(({ rootField }) => !open.includes(expectationOf(rootField).who));
  expect(names(ours)).toEqual(names(requiring.filter(has(404, 403))));
  expect(ours.length).toBeGreaterThan(50);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Cell, coveringOf } from '../helpers/isolation/covering.ts';

const product = (operations: number, callers: number, relations: number, kindOf: (...at: [number, number, number]) => string): Cell[] =>
  Array.from({ length: operations }, (_, operation) =>
    Array.from({ length: callers }, (_, caller) =>
      Array.from({ length: relations }, (_, relation) => ({
        operation,
        // Two operations run the same.
        field: `f${operation >> 1}`,
        record: `${operation % 3}`,
        caller: `c${caller}`,
        relation: `r${relation}`,
        kind: kindOf(operation, caller, relation),
      })),
    ),
  ).flat(2);

const size = fc.integer({ min: 1, max: 9 });
/** A matrix of any size, in which each cell has any of a few kinds of answer, and some cells may be missing. */
const matrix = fc
  .tuple(size, size, size, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), fc.infiniteStream(fc.integer({ min: 0, max: 9 })))
  .map(([operations, callers, relations, kinds, gaps]) =>
    product(operations, callers, relations, () => `k${kinds.next().value}`).filter(() => gaps.next().value !== 0),
  );
/** As permissions give them: a role may or may not do something, within its reach or not. */
const roles = fc.tuple(size, size, size, fc.infiniteStream(fc.boolean())).map(([operations, callers, relations, may]) => {
  const allowed = new Map<string, boolean>();
  const mayDo = (operation: number, caller: number) => {
    const key = `${operation} ${caller}`;
    if (!allowed.has(key)) allowed.set(key, may.next().value);
    return allowed.get(key)!;
  };
  return product(operations, callers, relations, (operation, caller, relation) =>
    caller === 0 ? 'no token' : relation > 1 ? 'nothing there' : mayDo(operation, caller) ? 'done' : 'refused',
  );
});

const sorted = (cells: readonly Cell[], of: (cell: Cell) => string) => [...new Set(cells.map(of))].sort();

test('a covering selection asks every field as every caller and in every relation, every operation, and every kind of record as every caller in every relation for each kind of answer', () => {
  fc.assert(
    fc.property(fc.oneof(matrix, roles), (cells) => {
      const chosen = coveringOf(cells);
      for (const of of [
        ({ field, relation }: Cell) => `${field} ${relation}`,
        // A cell that is answered in different ways to a caller is asked in each.
        ({ field, caller, kind }: Cell) => `${field} ${caller} ${kind}`,
        ({ operation, kind }: Cell) => `${operation} ${kind}`,
        ({ record, caller, relation, kind }: Cell) => `${record} ${caller} ${relation} ${kind}`,
      ])
        expect(sorted(chosen, of)).toEqual(sorted(cells, of));
    }),
  );
});

test('every field is asked in every relation by a caller for whom the relation matters', () => {
  fc.assert(
    fc.property(fc.oneof(matrix, roles), (cells) => {
      const depends = ({ field, caller }: Cell) =>
        new Set(cells.filter((one) => one.field === field && one.caller === caller).map(({ kind }) => kind)).size > 1;
      const of = ({ field, relation, kind }: Cell) => `${field} ${relation} ${kind}`;
      expect(sorted(coveringOf(cells).filter(depends), of)).toEqual(sorted(cells.filter(depends), of));
    }),
  );
});

test('a selection is a part of the cells in their order, and the same each time', () => {
  fc.assert(
    fc.property(matrix, (cells) => {
      const chosen = new Set(coveringOf(cells));
      expect([...chosen]).toEqual(cells.filter((cell) => chosen.has(cell)));
      expect(coveringOf(cells.map((cell) => ({ ...cell })))).toEqual([...chosen]);
    }),
  );
});

test('where all answers are alike, a field is asked no more often than there are callers, relations or operations of it', () => {
  fc.assert(
    fc.property(fc.tuple(size, size, size), ([operations, callers, relations]) => {
      const fields = Math.ceil(operations / 2);
      const chosen = coveringOf(product(operations, callers, relations, () => 'done'));
      expect(chosen.length).toBeGreaterThanOrEqual(fields * Math.max(callers, relations));
      // The more operations there are, the less is left for pairs that none of them was asked by.
      expect(chosen.length).toBeLessThanOrEqual(fields * Math.max(callers, relations, 2) + 3 * callers * relations);
    }),
  );
});

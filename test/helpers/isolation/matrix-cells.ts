import type { GraphQLSchema } from 'graphql';
import type { RestOperation } from '../../../src/platform/http/rest/operation.ts';
import { type Cell, coveringOf } from './covering.ts';
import {
  CALLERS,
  type Call,
  type Caller,
  graphqlCells,
  RELATIONS,
  type Relation,
  restCells,
  type Target,
  type Verdict,
  verdictOf,
} from './matrix.ts';
import { absentTarget } from './matrix-targets.ts';

/** Whether every cell is asked (`npm run test:matrix`), or only those that cover every kind of cell (`npm test`). */
const FULL = isFull(process.env.HAULGATE_TEST_MATRIX ?? '');

function isFull(value: string): boolean {
  if (value !== '' && value !== 'full') throw new Error(`HAULGATE_TEST_MATRIX is 'full' or not set, and not '${value}'`);
  return value === 'full';
}

type Maker = (target: Target) => Call;

/** An operation, with a caller and the relation to the owner of the records. */
export interface MatrixCell extends Cell {
  make: Maker;
  /** The call with ids that name nothing. */
  call: Call;
  caller: Caller;
  relation: Relation;
  kind: Verdict;
}

/**
 * Returns every operation by every caller in every relation, by name, so that a selection does not depend on the order of files. A call
 * without an id is the same in all relations, and is asked once.
 */
function productOf(makers: readonly Maker[]): MatrixCell[] {
  const nothing = absentTarget();
  const operations = makers.map((make) => ({ make, call: make(nothing) })).sort((a, b) => (a.call.name < b.call.name ? -1 : 1));
  return operations.flatMap(({ make, call }, operation) => {
    // A path of a company that is not visible is answered before any record is looked up.
    const record = call.path.startsWith('/v1/companies/') ? 'company in the path' : (call.expected.of ?? '');
    // Lookups of any type have a way of their own.
    const field = /^query nodes? /.test(call.name) ? `node ${call.root}` : call.root;
    const relations = call.named ? RELATIONS : (['own'] as const);
    return CALLERS.flatMap((caller) =>
      relations.map((relation) => ({
        ...{ operation, field, record, make, call, caller, relation },
        kind: verdictOf(call, caller, relation),
      })),
    );
  });
}

/** Returns the cells that the isolation test asks in this run. */
export function matrixOf(schema: GraphQLSchema, operations: readonly RestOperation[]): MatrixCell[] {
  const cells = bothOf(schema, operations);
  return FULL ? cells : coveringOf(cells);
}

const bothOf = (schema: GraphQLSchema, operations: readonly RestOperation[]) =>
  productOf([...restCells(operations), ...graphqlCells(schema)]);

/** Returns the number of cells of the full matrix, and of the selection that covers every kind of them. */
export function matrixSizes(schema: GraphQLSchema, operations: readonly RestOperation[]) {
  const cells = bothOf(schema, operations);
  return {
    paths: restCells(operations).length,
    fields: graphqlCells(schema).length,
    full: cells.length,
    covering: coveringOf(cells).length,
  };
}

import type { FieldNode } from 'graphql';
import type { ManySpec } from '../model/decorators.ts';
import type { EmptyRelations } from './narrow/empty-relations.ts';
import type { PlanRequest, Run } from './run.ts';
import type { Operation } from './selection.ts';
import type { Statement } from './statement.ts';

/** A value in SQL, and how what comes back of it is read. */
export interface ReadSql {
  sql: string;
  read: (data: unknown, run: Run) => unknown;
  /** Which relations of the rows name nothing. */
  rows?: EmptyRelations;
}

/** The row below which a list is read. */
export interface ParentRow {
  readonly alias: string;
  /** Column of a property, or the foreign key of a relation. */
  columnOf(property: string): string;
  readonly empty: EmptyRelations | undefined;
}

/** The whole, as the parts of a plan see it. The parts make each other: a page makes its rows, and a row the pages below it. */
export interface Planning {
  readonly request: PlanRequest;
  readonly operation: Operation;
  readonly statement: Statement;
  /** Relations by which its record names nothing may be left out of another statement like it (narrow/narrowing.ts). */
  readonly narrows: boolean;
  /** Nested lists, counted in the order in which the plan meets them. */
  meetList(): number;
  /** A to-many member as a scalar subquery, and how its JSON is read. */
  manySql(parent: ParentRow, spec: ManySpec, places: FieldNode[]): ReadSql;
}

import type { EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import type { FieldNode } from 'graphql';
import type { Application } from '../application.ts';
import type { List } from './lists.ts';
import type { Operation } from './selection.ts';

export type Meta = EntityMetadata<unknown>;

/** A condition a resolver adds to a list or a read, such as "of this order". */
export interface Where {
  /** Names the condition in the plan's key. */
  key: string;
  sql: (t: string, p: string) => string;
  /** PostgreSQL type of the parameter. */
  cast: string;
  value: unknown;
  /** It compares the record's own columns, which change: of what is read as it was it asks what they were. */
  changes?: true;
}

/** A part of the answer of a page as it was. */
export interface PastRun {
  at: Date;
  stage: 'candidates' | 'ids' | 'page';
  /** Of candidates: how many. */
  most?: number;
  /** Records that are there, with the values that were others than now. */
  live?: readonly { id: string; was: object }[];
  /** Records that were deleted since: as they were last, and the values that were others than these. */
  gone?: readonly { row: object; was: object }[];
}

/** One execution of a plan. */
export interface Run {
  /** For computed values that its settings decide. */
  application: Application;
  companyIds: readonly string[];
  /** The reader, for fields that only one person sees. */
  viewerId: string;
  /** Sites the viewer is limited to. */
  siteIds?: readonly string[];
  /** The viewer reads own records only; `below` if the limit does not apply to the root. */
  ownRecordsOnly?: 'all' | 'below';
  /** Permissions for all rows of some entities that the viewer has for own records alone (`allBy` of an access). */
  forOwn?: readonly string[];
  /** The viewer reads no work, wherever a list of it is. */
  readsNoWork?: boolean;
  id?: string;
  /** The instant of one that is read as it was. */
  at?: Date;
  /** Values by column that the record had, of one that is read as it was. */
  was?: Readonly<Record<string, unknown>>;
  /** All values of it as they were last, of one that was deleted since. */
  last?: Readonly<Record<string, unknown>>;
  /** Of a page that is read as it was. */
  past?: PastRun;
  /** Of a page that follows others of its list (`PageSequence`). */
  isInSequence?: boolean;
  /** Records that other companies share are read too. */
  shared?: boolean;
  where: readonly Where[];
  root?: List;
  /** Nested lists, by the order in which the plan met them. */
  lists: readonly List[];
  can(permission: string): boolean;
  /** The company that reads. */
  reader: string;
  /** True of a company of the viewer's, and of nobody's. */
  owns(companyId: string | null | undefined): boolean;
}

export interface ListOrder {
  /** Names the order in the plan's key. */
  key: string;
  sql: (t: string) => string;
}

/** Options of reading a plain list. */
export interface Listing {
  order?: ListOrder;
  most?: number;
  /** It is found by a few ids, so that one plan serves whichever they are. */
  few?: boolean;
  /** Members that nobody selected and the resolver reads. */
  columns?: readonly string[];
}

/** The requested parts of a connection. */
export interface Connecting {
  /** Field nodes whose selections are the rows'. */
  nodes: readonly FieldNode[];
  edges: boolean;
  cursors: boolean;
  /** The first and the last cursor are asked for to go on from them: there is none where nothing follows. */
  links?: boolean;
  /** Counts the rows: all of them, or those up to a bound. */
  count?: 'exact' | 'bounded';
}

/** Turns one row, an array of positions, into a plain object; `r` is the run (masks, paging). */
export type RowMapper = (row: unknown[], r: unknown) => unknown;

export interface PlanRequest {
  metadata: MetadataStorage;
  meta: Meta;
  nodes: readonly FieldNode[];
  operation: Operation;
  kind: 'one' | 'page' | 'list';
  run: Run;
  /** Of a plain list. */
  listing?: Listing;
  /** Carry the predicate of work passed along vendor chains. */
  receivesWork: boolean;
  /** Where a page's nodes, edges and totals are asked for. */
  connection?: Connecting;
  /** Relations that the statement does without, by their path (narrow/narrowing.ts). */
  leftOut?: ReadonlySet<string>;
}

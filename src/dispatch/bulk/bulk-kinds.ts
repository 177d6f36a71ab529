import type { TxContext } from '../../platform/commands/transact.ts';
import type { BulkActionKind } from './bulk-action.entity.ts';

/** What is to be done to one job, as it was asked. */
export interface BulkItem<I = unknown> {
  jobId: string;
  /** The company of a scoped path: the job must be its own, or passed on to it. */
  companyId: string | null;
  input: I;
}

/**
 * Does one item, in the transaction that also notes its outcome, as whoever asked. What it throws of the error family is the item's outcome;
 * anything else is tried again.
 */
export type BulkHandler<I> = (tx: TxContext, item: BulkItem<I>) => Promise<unknown>;

interface BulkRoute {
  handler: BulkHandler<unknown>;
  /** No item reads from the database what another writes. */
  apart: boolean;
}
const ways = new Map<BulkActionKind, BulkRoute>();

/** Says how the items of a kind are done; once per kind. Those that are `apart` may be written together, after the last of a transaction. */
export function defineBulk<I>(kind: BulkActionKind, handler: BulkHandler<I>, { apart = false } = {}): BulkKind<I> {
  ways.set(kind, { handler: handler as BulkHandler<unknown>, apart });
  return { kind };
}

/** A kind with the type of its items' inputs. */
export interface BulkKind<I> {
  kind: BulkActionKind;
  /** Only for the type checker. */
  input?: I;
}

/** @throws Error for a kind nobody does, which is a mistake in the code */
export function wayOf(kind: BulkActionKind): BulkRoute {
  const way = ways.get(kind);
  if (!way) throw new Error(`nobody does bulk actions of kind ${kind}`);
  return way;
}

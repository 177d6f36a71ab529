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

const handlers = new Map<BulkActionKind, BulkHandler<unknown>>();

/** Says how the items of a kind are done; once per kind. */
export function defineBulk<I>(kind: BulkActionKind, handler: BulkHandler<I>): BulkKind<I> {
  handlers.set(kind, handler as BulkHandler<unknown>);
  return { kind };
}

/** A kind with the type of its items' inputs. */
export interface BulkKind<I> {
  kind: BulkActionKind;
  /** Only for the type checker. */
  input?: I;
}

/** @throws Error for a kind nobody does, which is a mistake in the code */
export function handlerOf(kind: BulkActionKind): BulkHandler<unknown> {
  const handler = handlers.get(kind);
  if (!handler) throw new Error(`nobody does bulk actions of kind ${kind}`);
  return handler;
}

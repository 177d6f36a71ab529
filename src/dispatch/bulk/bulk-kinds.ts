import type { TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import { type Registration, registration } from '../../platform/registration.ts';
import type { BulkActionKind } from './bulk-action.entity.ts';

/** One item of a bulk action, with the input for it. */
export interface BulkItem<I = unknown> {
  /** The job that it is about; null in actions that are about something else, which their input names. */
  jobId: string | null;
  /** The company of a scoped path. The job must be its own, or have been passed on to it. */
  companyId: string | null;
  input: I;
}

/**
 * Processes one item as the person who asked, in the transaction that also stores its outcome. A domain error that it throws becomes the
 * item's outcome; after any other error the item is tried again.
 */
export type BulkHandler<I> = (tx: TxContext, item: BulkItem<I>) => Promise<unknown>;

/** The path of the job that an item is about. */
export const pathOf = ({ jobId, companyId }: BulkItem): RecordPath => ({ id: jobId!, companyId });

interface BulkOptions<I> {
  /** True if no item reads from the database what another one writes: items may be written together, after the last one of a transaction. */
  apart?: boolean;
  /** True if each item has a transaction of its own, because it is large or locks what the next one does not. */
  alone?: boolean;
  /**
   * Locks at once what the items of a transaction lock one after the other, for items that would otherwise wait for each other in a circle; and reads what
   * they would read one after the other.
   */
  prepare?: (tx: TxContext, items: readonly BulkItem<I>[]) => Promise<unknown>;
  /** The model of an error that names no record of its own; by default, a job. */
  model?: string;
}
interface BulkRoute extends Required<Omit<BulkOptions<unknown>, 'prepare'>>, Pick<BulkOptions<unknown>, 'prepare'> {
  handler: BulkHandler<unknown>;
}
const routes = new Map<BulkActionKind, BulkRoute>();

/** Defines how the items of a kind are processed; once per kind. It takes effect when a `room.ts` lists it. */
export function defineBulk<I>(
  kind: BulkActionKind,
  handler: BulkHandler<I>,
  { apart = false, alone = false, model = 'Job', prepare }: BulkOptions<I> = {},
): BulkKind<I> {
  const route = { handler: handler as BulkHandler<unknown>, apart, alone, model, prepare: prepare as BulkRoute['prepare'] };
  return { ...registration('defineBulk', kind, () => void routes.set(kind, route)), kind };
}

/** A kind with the type of its items' inputs. */
export interface BulkKind<I> extends Registration {
  kind: BulkActionKind;
  /** Exists for the type checker only. */
  input?: I;
}

/** Returns how the items of a kind are processed. @throws Error for a kind that is not defined, which is a mistake in the code */
export function routeOf(kind: BulkActionKind): BulkRoute {
  const route = routes.get(kind);
  if (!route) throw new Error(`nobody does bulk actions of kind ${kind}`);
  return route;
}

import type { RecordType } from './record-types.ts';

/** A row of a feed. */
export interface Entry {
  position: string;
  ownerId: string;
  type: RecordType;
  id: string;
  kind: 'create' | 'update' | 'state_change' | 'delete';
  previousState: string | null;
  state: string | null;
  changedAt: string;
  /** The record itself was not changed, but perhaps who sees it. */
  around?: boolean;
}

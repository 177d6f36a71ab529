import { currentWork } from '../request-work.ts';
import { currentScope } from '../scope.ts';
import type { Position } from './position.ts';
import type { ReadRoute } from './read-route.ts';
import type { Replicas } from './replicas.ts';

declare module '../request-work.ts' {
  interface RequestWork {
    /** The use of replicas by the request; absent where none are configured. */
    replicas?: ReplicaUse;
  }
}

/** The use of replicas by a request. */
export interface ReplicaUse {
  replicas: Replicas;
  /** The position that the caller sent along. */
  sent?: Position;
  /** The reads of the request, if it only reads. */
  route?: ReadRoute;
  /** Statements of the caller went to the primary. */
  usedPrimary: boolean;
}

/** The use of replicas by the running code. It is undefined where none is used: in commands, in workers, and for a purpose, which decides about the caller. */
export const replicaUse = (): ReplicaUse | undefined => (currentScope().purpose ? undefined : currentWork()?.replicas);

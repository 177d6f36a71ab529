import type { EntityManager } from '@mikro-orm/postgresql';
import type { Lease } from '../../platform/queue/lease-queue.ts';

/** A person or a machine of which positions came. */
export interface PositionTask {
  id: string;
  companyId: string;
  /** The person of a telephone, or the equipment of a vehicle. */
  assetId: string;
  assetType: 'User' | 'Equipment';
  /** When the oldest position was measured that is not worked out yet. */
  since: Date;
}

interface Following {
  /** Its tasks in `position_task`. */
  readonly kind: string;
  /** Milliseconds in which further positions of the asset join the task before it is due. */
  readonly delay: number;
}

/**
 * A computation from positions after they are stored, in the background: the request never waits for it. It may be called again for positions
 * that it has worked out, after a crash or when older ones come late, so it writes the same as before.
 */
export interface PositionFollower extends Following {
  /** Assets at a time: what takes long keeps nothing else waiting. */
  readonly slots: number;
  /** Works out what follows from the asset's positions, and runs in the scope of its company. */
  work(em: EntityManager, task: PositionTask, lease: Lease): Promise<void>;
}

/** The same for many assets of any companies at once, where that is cheaper. */
export interface PositionSetFollower extends Following {
  /** Assets of a set, at most, and sets at a time: what takes long in one keeps the next one not waiting. */
  readonly most: number;
  readonly slots: number;
  /**
   * Works out what follows from their positions.
   * @param end ends tasks that are done: what takes long keeps the others of its set not waiting
   * @returns why assets failed; what it throws is a failure of all
   */
  workTogether<T extends PositionTask>(
    em: EntityManager,
    tasks: readonly T[],
    end: (done: readonly T[]) => Promise<void>,
  ): Promise<Map<T, unknown>>;
}

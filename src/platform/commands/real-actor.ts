import type { Viewer } from '../context.ts';

/** The columns that name a person who acted as somebody else, next to those of the one who is shown to have acted. */
export interface RealActorColumns {
  realActorType: string | null;
  realActorId: string | null;
  realActorName: string | null;
}

/** The columns of a record on which nobody acted, or nobody as somebody else. */
export const NO_REAL_ACTOR: RealActorColumns = { realActorType: null, realActorId: null, realActorName: null };

/** Returns the columns of whoever really acts, for a record that notes who did something to it. */
export const realActorColumns = ({ realActor }: Pick<Viewer, 'realActor'>): RealActorColumns =>
  realActor ? { realActorType: realActor.type, realActorId: realActor.id, realActorName: realActor.name } : NO_REAL_ACTOR;

/**
 * A declaration of a room: who sees an entity, its filters, its messages. It is a value, and has no effect until the lists of all rooms are
 * registered (`registerRooms` of `src/app/rooms.ts`), so that a room can be read in its `room.ts`. It is part of the code, and the same for all
 * applications of a process; what may differ between them is provided (`application.ts`).
 */
export interface Registration {
  /** The function that made it, such as `defineAccess`. */
  readonly madeBy: string;
  /** The subject of the declaration, for errors: an entity, a table, a constraint. */
  readonly about: string;
  readonly register: () => void;
}

/** @param register what it does when the application registers it */
export const registration = (madeBy: string, about: string, register: () => void): Registration => ({ madeBy, about, register });

const inEffect = new Set<Registration>();

/** Puts declarations into effect, each once in a process. */
export function registerAll(registrations: readonly Registration[]): void {
  for (const one of registrations)
    if (!inEffect.has(one)) {
      inEffect.add(one);
      one.register();
    }
}

/** @throws Error if nothing is in effect: tables would get no policies, and reads no conditions, without a word */
export function requireRegistered(): void {
  if (inEffect.size === 0) throw new Error('no room has registered what it declares: call registerRooms of src/app/rooms.ts first');
}

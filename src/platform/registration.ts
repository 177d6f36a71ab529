/**
 * A declaration of a room: who sees an entity, its filters, its messages. It is a value, and has no effect until the application registers
 * the lists of all rooms (`src/app/rooms.ts`), so that a room can be read in its `room.ts`.
 */
export interface Registration {
  /** The function that made it, such as `defineAccess`. */
  readonly madeBy: string;
  /** What it is about, for errors: an entity, a table, a constraint. */
  readonly about: string;
  readonly register: () => void;
}

/** @param register what it does when the application registers it */
export const registration = (madeBy: string, about: string, register: () => void): Registration => ({ madeBy, about, register });

/** Puts declarations into effect. Those of a process that has registered them before change nothing. */
export function registerAll(registrations: readonly Registration[]): void {
  for (const { register } of registrations) register();
}

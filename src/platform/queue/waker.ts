/**
 * Informs workers that there may be due work. A wake is a hint: it carries nothing and may be lost, doubled or late. The truth is in the
 * database, where a sweeper finds work that no wake announced (DESIGN section 5).
 */
export interface Waker {
  /** Returns at once and never throws; safe to call when the transport is away. */
  wake(): void;
  /** Calls `listener` for wakes of any process. One listener per Waker. */
  listen(listener: () => void): void;
  /** Stops calling the listener and lets go of connections. */
  close(): Promise<void>;
}

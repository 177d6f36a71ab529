import { useEffect, useRef, useState } from 'react';
import { SignedOut } from '../server/request.ts';

/** Milliseconds between two looks, and the longest time between two after failures. */
const EVERY = 10_000;
const LONGEST = 120_000;

/** The value that was read last, and whether it is still read. */
export interface Live<T> {
  value?: T;
  /** Why the last look failed; the value is the one of before. */
  problem?: string;
  /** Seconds until the next look after a failure. */
  again?: number;
}

/** The function that reads, and the one that says that the value is another one now. */
export interface Followed<T> {
  read(): Promise<T>;
  /** Calls `changed` for each change until it is ended by what it returns. */
  follow(changed: () => void): () => void;
}

/**
 * Reads when something has changed, and again and again: every ten seconds, half as often after each failure. While nobody sees the page nothing is
 * read or followed, because browsers keep few connections to a server, for all of their tabs; it is read as soon as somebody sees it. An answer that
 * comes after the key has changed is not shown.
 */
export function useLive<T>(key: string, followed: Followed<T>, signedOut: (error: SignedOut) => void): Live<T> & { look: () => void } {
  const [live, setLive] = useState<Live<T> & { of: string }>({ of: key });
  const latest = useRef({ ...followed, signedOut });
  latest.current = { ...followed, signedOut };
  const [nudge, setNudge] = useState(0);
  useEffect(() => {
    let [over, busy, changed, failures] = [false, false, false, 0];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      if (busy) changed = true;
      if (busy || document.hidden) return;
      clearTimeout(timer);
      [busy, changed] = [true, false];
      try {
        const value = await latest.current.read();
        failures = 0;
        if (!over) setLive({ of: key, value });
      } catch (error) {
        if (over) return;
        if (error instanceof SignedOut) return latest.current.signedOut(error);
        failures++;
        const again = waitAfter(failures) / 1000;
        setLive((now) => ({ ...(now.of === key ? now : { of: key }), problem: (error as Error).message, again }));
      } finally {
        busy = false;
        if (!over) {
          timer = setTimeout(() => void look(), waitAfter(failures));
          // Changes of the meantime may not be in the answer.
          if (changed && failures === 0) void look();
        }
      }
    };
    let unfollow: (() => void) | undefined;
    const seen = () => {
      unfollow?.();
      unfollow = undefined;
      if (document.hidden) return;
      void look();
      unfollow = latest.current.follow(() => failures === 0 && void look());
    };
    document.addEventListener('visibilitychange', seen);
    seen();
    return () => {
      over = true;
      unfollow?.();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [key, nudge]);
  const { value, problem, again } = live.of === key ? live : ({} as Live<T>);
  return { value, problem, again, look: () => setNudge((n) => n + 1) };
}

const waitAfter = (failures: number): number => Math.min(EVERY * 2 ** failures, LONGEST);

import { useCallback, useRef, useState } from 'react';
import { SignedOut } from '../server/request.ts';

/** A problem, and the record of the list that has it; with the page as a whole if `of` is empty. */
export interface Problem {
  of: string;
  text: string;
}

const NONE: Problem = { of: '', text: '' };

/**
 * Keeps what went wrong last, and leaves the page when the session is over.
 * @returns the problem, what takes an error, and what forgets the problem
 */
export function useProblem(onSignedOut: (reason: string) => void): [Problem, (error: unknown, of?: string) => void, () => void] {
  const [problem, setProblem] = useState(NONE);
  const failed = useCallback(
    (error: unknown, of = '') => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setProblem({ of, text: (error as Error).message });
    },
    [onSignedOut],
  );
  const forget = useCallback(() => setProblem(NONE), []);
  return [problem, failed, forget];
}

/** Runs a read and shows what it found. */
export type Latest = <T>(read: () => Promise<T>, show: (found: T) => void) => Promise<void>;

/**
 * Has only the newest of several reads count: an older answer is not shown, nor is its error.
 * @returns what runs such a read, and what counts those that were begun
 */
export function useLatest(failed: (error: unknown) => void): [Latest, () => number] {
  const asked = useRef(0);
  const latest: Latest = useCallback(
    async (read, show) => {
      const mine = ++asked.current;
      try {
        const found = await read();
        if (mine === asked.current) show(found);
      } catch (error) {
        if (mine === asked.current) failed(error);
      }
    },
    [failed],
  );
  return [latest, useCallback(() => asked.current, [])];
}

import { useEffect, useState } from 'react';
import { type Family, readFamily } from '../server/somebody.ts';
import { addressOf } from './view.ts';

/**
 * Keeps what a page shows in its address, where "back" finds it.
 * @param of reads a view from an address; the same function at every call
 * @returns the view, and what shows another one
 */
export function useView<V extends object>(of: (address: string) => V): [V, (next: V, state?: unknown) => void] {
  const [view, setView] = useState(() => of(location.search));
  useEffect(() => {
    const back = () => setView(of(location.search));
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, [of]);
  const show = (next: V, state: unknown = null) => {
    history.pushState(state, '', addressOf(next));
    setView(next);
  };
  return [view, show];
}

/** Reads the companies that the operator may choose from. @param company the chosen one, empty for the own one @returns also its zone */
export function useFamily(company: string, failed: (error: unknown) => void): { family: Family['companies']; zone: string | undefined } {
  const [family, setFamily] = useState<Family['companies']>([]);
  useEffect(() => {
    readFamily().then(setFamily, failed);
  }, [failed]);
  return { family, zone: (family.find(({ id }) => id === company) ?? family[0])?.timeZone };
}

import type { View } from './api.ts';

const EMPTY: View = { kind: '', state: '', search: '', after: '', before: '', cursor: '', company: '', record: '' };

/** The view that the address names. */
export function viewOf(address: string): View {
  const given = new URLSearchParams(address);
  return Object.fromEntries(Object.keys(EMPTY).map((name) => [name, given.get(name) ?? ''])) as unknown as View;
}

/** The address of a view; what is not set is left out. */
export function addressOf(view: View): string {
  const given = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return given.size === 0 ? location.pathname : `${location.pathname}?${given}`;
}

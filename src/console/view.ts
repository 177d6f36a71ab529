import type { View } from './api.ts';

const EMPTY: View = { kind: '', state: '', search: '', after: '', before: '', cursor: '', company: '', record: '', batch: '', warned: '' };

/** Returns the view of an address; an invalid time is left out. */
export function viewOf(address: string): View {
  const view = viewIn(EMPTY, address);
  return { ...view, after: timeOf(view.after), before: timeOf(view.before) };
}

/** Returns what an address says of a page's view. @param empty the view of an address that says nothing */
export function viewIn<V extends object>(empty: V, address: string): V {
  const given = new URLSearchParams(address);
  return Object.fromEntries(Object.keys(empty).map((name) => [name, given.get(name) ?? ''])) as V;
}

const timeOf = (text: string): string => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && Date.parse(`${text}Z`) ? text : '');

/** Returns the address of a view; what is not set is left out. */
export function addressOf(view: object): string {
  const given = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return given.size === 0 ? location.pathname : `${location.pathname}?${given}`;
}

import type { View } from './api.ts';

const EMPTY: View = { kind: '', state: '', search: '', after: '', before: '', cursor: '', company: '', record: '', batch: '', warned: '' };

/** Returns the view of an address; an invalid time is left out. */
export function viewOf(address: string): View {
  const given = new URLSearchParams(address);
  const view = Object.fromEntries(Object.keys(EMPTY).map((name) => [name, given.get(name) ?? ''])) as unknown as View;
  return { ...view, after: timeOf(view.after), before: timeOf(view.before) };
}

const timeOf = (text: string): string => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && Date.parse(`${text}Z`) ? text : '');

/** Returns the address of a view; what is not set is left out. */
export function addressOf(view: View): string {
  const given = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return given.size === 0 ? location.pathname : `${location.pathname}?${given}`;
}

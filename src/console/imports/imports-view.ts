import { viewIn } from '../frame/view.ts';
import type { View } from './imports-api.ts';

const EMPTY: View = { kind: '', state: '', search: '', after: '', before: '', cursor: '', company: '', record: '', batch: '', warned: '' };

/** Returns the view of an address; an invalid time is left out. */
export function viewOf(address: string): View {
  const view = viewIn(EMPTY, address);
  return { ...view, after: timeOf(view.after), before: timeOf(view.before) };
}

const timeOf = (text: string): string => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && Date.parse(`${text}Z`) ? text : '');

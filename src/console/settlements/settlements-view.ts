/** The view of the page when its address has none. */
export const EMPTY = { show: '', state: '', day: '', cursor: '', company: '', item: '' };
export type View = typeof EMPTY;

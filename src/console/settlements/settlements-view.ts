/** What the page shows when its address says nothing. */
export const EMPTY = { show: '', state: '', day: '', cursor: '', company: '', item: '' };
export type View = typeof EMPTY;

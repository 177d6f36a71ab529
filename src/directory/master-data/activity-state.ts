import { stringEnum } from '../../platform/model/columns.ts';

/** DOMAIN 1.9: inactive records are hidden from typeaheads and refuse new work. */
export const ActivityState = stringEnum('ActivityState', ['active', 'inactive']);
export type ActivityState = keyof typeof ActivityState;

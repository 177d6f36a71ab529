import { PRICE_COLUMNS } from '../pricing/material-price.ts';

/** The columns that a load takes from its job, and follows until it has begun, each with the job's column. */
export const LOAD_FOLLOWS: Readonly<Record<string, string>> = {
  material_id: 'material_id',
  unit_of_measure: 'load_unit_of_measure',
  foreman_ids: 'foreman_ids',
  ...Object.fromEntries(PRICE_COLUMNS.map((column) => [column, column])),
};

/** The columns that a new load takes from its job, whoever adds it. */
export const LOAD_TAKES: Readonly<Record<string, string>> = { ...LOAD_FOLLOWS, phase_id: 'phase_id', route_id: 'route_id' };

import { stringEnum } from '../../../platform/model/columns.ts';

/** Whose date chooses the price of fuel: that of the order, or that of the start of the job (BILLING B6). */
export const FuelDate = stringEnum('FuelDate', ['order', 'job_start'], 'The date whose price of fuel counts.');
export type FuelDate = keyof typeof FuelDate;

import { stringEnum } from '../../../platform/model/columns.ts';

/** The record whose date chooses the price of fuel: the order, or the start of the job (BILLING B6). */
export const FuelDate = stringEnum('FuelDate', ['order', 'job_start'], 'The date whose price of fuel counts.');
export type FuelDate = keyof typeof FuelDate;

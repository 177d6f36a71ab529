import { stringEnum } from '../../../platform/model/columns.ts';

/** The measure of a driver's pay by time: each job, or the shift of a day (BILLING B3 "driver day pay"). */
export const DriverPayBy = stringEnum('DriverPayBy', ['job', 'driver_day']);
export type DriverPayBy = keyof typeof DriverPayBy;

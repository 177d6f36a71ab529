import type { TravelledJob } from './travel.ts';

/** A shift whose positions are measured. Times are milliseconds. */
export interface MeasuredDay {
  id: string;
  companyId: string;
  driverId: string;
  from: number;
  until: number | null;
}

/** A job of the day as it is measured. */
export interface MeasuredJob extends TravelledJob {
  companyId: string;
  orderId: string;
}

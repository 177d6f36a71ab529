import type { JobState, OrderState } from '../dispatch/model/states.ts';

/** One demo order: its day, its state, and the states of its jobs. */
export interface PlannedOrder {
  /** Days from today in the company's zone. */
  day: number;
  /** The hour of that day; what is of today begins around now. */
  hour: number;
  state: OrderState;
  jobs: JobState[];
  /** Index of the material, the customer and the project (or none). */
  material: number;
  customer: number;
  project?: number;
  /** The job at this index is paused on the road. */
  pausedJob?: number;
  rejectReason?: string;
  /** Set of work whose prices are those of rate cards, and that is billed. */
  billed?: BilledTerms;
}

/** The facts on which the price of work depends, in addition to rate cards. */
export interface BilledTerms {
  /** Tons of each load of a job, by its tickets; null was not weighed. By default, what the scale is used to. */
  tons?: readonly (string | null)[];
  /** It is paid by the hour, and was done so many minutes later than usual. */
  hourlyAndLate?: number;
  /** Percent of tax on freight and material. */
  taxRate?: string;
  /** The prices of a ton of material: that for the customer, on lines of its own, and that of the pit. */
  materialPrices?: { sold: string; bought: string };
  /** A vendor's vendor hauls it. */
  chained?: true;
  /** Its tickets have pictures here, and not at the scale. */
  pictured?: true;
}

/** A week of work with every state of orders, jobs and loads at least once. */
export const WEEK: PlannedOrder[] = [
  { day: -3, hour: 6, state: 'completed', jobs: ['paid', 'signed_off', 'completed'], material: 0, customer: 0, project: 0 },
  { day: -3, hour: 7, state: 'completed', jobs: ['in_review', 'flagged'], material: 1, customer: 1, project: 1 },
  { day: -3, hour: 9, state: 'rejected', jobs: ['canceled'], material: 2, customer: 2, rejectReason: 'No trucks left for that morning' },
  { day: -2, hour: 6, state: 'completed', jobs: ['signed_off', 'signed_off', 'ended'], material: 0, customer: 0, project: 0 },
  { day: -2, hour: 8, state: 'canceled', jobs: ['canceled', 'canceled'], material: 3, customer: 3 },
  { day: -2, hour: 10, state: 'completed', jobs: ['completed', 'completed'], material: 4, customer: 1, project: 1 },
  { day: -1, hour: 6, state: 'completed', jobs: ['completed', 'ended', 'canceled'], material: 0, customer: 0, project: 0 },
  { day: -1, hour: 7, state: 'completed', jobs: ['completed', 'in_review'], material: 5, customer: 2, project: 2 },
  { day: -1, hour: 11, state: 'weather_hold', jobs: ['created', 'created'], material: 1, customer: 1, project: 1 },
  {
    day: 0,
    hour: 6,
    state: 'in_progress',
    // The first truck is the farthest.
    jobs: ['unloaded', 'arrived_dropoff', 'to_dropoff', 'loaded', 'arrived_pickup', 'to_pickup'],
    material: 0,
    customer: 0,
    project: 0,
    pausedJob: 2,
  },
  { day: 0, hour: 7, state: 'in_progress', jobs: ['load_completed', 'completed', 'accepted'], material: 5, customer: 2, project: 2 },
  { day: 0, hour: 9, state: 'accepted', jobs: ['sent', 'rejected', 'assigned', 'created'], material: 4, customer: 1, project: 1 },
  { day: 0, hour: 12, state: 'hold', jobs: ['assigned', 'created'], material: 3, customer: 3 },
  { day: 1, hour: 6, state: 'accepted', jobs: ['accepted', 'sent', 'created'], material: 0, customer: 0, project: 0 },
  { day: 1, hour: 8, state: 'pending_request', jobs: ['created', 'created'], material: 2, customer: 2 },
  { day: 2, hour: 6, state: 'accepted', jobs: ['assigned', 'assigned', 'created'], material: 5, customer: 2, project: 2 },
  { day: 2, hour: 7, state: 'created', jobs: ['created', 'created'], material: 1, customer: 1, project: 1 },
  { day: 3, hour: 6, state: 'created', jobs: ['created', 'created', 'created'], material: 0, customer: 0, project: 0 },
];

/** The index of the order whose tickets a scale sends, among the demo's imports: the first one of yesterday. */
export const IMPORTED = WEEK.findIndex(({ day, state }) => day === -1 && state === 'completed');
/** The numbers of an order of yesterday and of a job of it, whose last load lacks its ticket. */
export const CHASED = { order: IMPORTED + 2, job: 1 };

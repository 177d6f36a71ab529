import { type PlannedOrder, WEEK } from '../week.ts';

/** The loads of the worked examples of docs/billing.md, in tons. */
const WEIGHED = ['23.21', '21.4', '24.06'];

/**
 * The work of the two weeks before the demo's own week, which is billed. Prices are those of rate cards (`tariffs.ts`), so each amount says
 * which rate card it came from. The last days of it are nobody's settlement yet, and one load was not weighed.
 */
export const BILLED: readonly PlannedOrder[] = [
  { day: -13, hour: 6, state: 'completed', jobs: ['signed_off', 'signed_off'], material: 5, customer: 2, project: 2, billed: {} },
  {
    ...{ day: -10, hour: 6, state: 'completed', jobs: ['signed_off'], material: 0, customer: 1, project: 1 },
    billed: { tons: WEIGHED, taxRate: '8.25', materialPrices: { sold: '12.5', bought: '9.8' }, pictured: true },
  },
  {
    ...{ day: -9, hour: 7, state: 'completed', jobs: ['completed'], material: 1, customer: 1, project: 1 },
    billed: { hourlyAndLate: 39 },
  },
  {
    ...{ day: -8, hour: 6, state: 'completed', jobs: ['completed'], material: 0, customer: 0, project: 0 },
    billed: { tons: WEIGHED, chained: true, pictured: true },
  },
  { day: -6, hour: 6, state: 'completed', jobs: ['completed', 'completed'], material: 3, customer: 3, billed: {} },
  { day: -5, hour: 6, state: 'completed', jobs: ['completed', 'completed'], material: 0, customer: 0, project: 0, billed: {} },
  { day: -4, hour: 6, state: 'completed', jobs: ['completed'], material: 5, customer: 2, project: 2, billed: {} },
  {
    ...{ day: -4, hour: 13, state: 'completed', jobs: ['completed'], material: 5, customer: 2, project: 2 },
    billed: { tons: ['22.41', '23.07', null] },
  },
];

/** The places of orders in `BILLED`, by what becomes of their invoices; before it, the first order of the week, whose first job is paid. */
export const PLACE = {
  inWeek: -WEEK.length,
  paid: 0,
  worked: 1,
  hourly: 2,
  chained: 3,
  approved: 4,
  open: 5,
  draft: 6,
  blocked: 7,
} as const;

/** The number of an order in `BILLED`. */
export const numberAt = (place: number): number => WEEK.length + place + 1;

/** Whether the tickets of an order have pictures here although they were approved. */
export const isPictured = (number: number): boolean => BILLED[number - numberAt(0)]?.billed?.pictured === true;

const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** The fields of an order that decide when its trucks start. */
export interface Departures {
  loadAt: Date;
  jobStartAt?: Date | null;
  /** Minutes between groups of trucks. */
  truckDelay?: number | null;
  trucksPerDelay?: number | null;
}

/**
 * Returns the starts of trucks of an order, staggered as in add-trucks.ts.
 * @param first place of the first of them in the order, from 1
 */
export function startsOf({ jobStartAt, loadAt, trucksPerDelay, truckDelay }: Departures, first: number, count: number): Date[] {
  const start = (jobStartAt ?? loadAt).getTime();
  const group = Math.max(1, trucksPerDelay ?? 1);
  return Array.from({ length: count }, (_, i) => {
    const minutes = Math.floor((first - 1 + i) / group) * (truckDelay ?? 0);
    return new Date(Math.min(start + minutes * 60_000, LAST));
  });
}

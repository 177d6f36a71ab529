import { type Crossing, crossedOf, readCrossing, readCrossings, reasonsOfCrossing } from './crossings.ts';
import { reasonsOfDay, reasonsOfLoad } from './reasons.ts';
import { type Found, type ReviewedDay, type ReviewedLoad, readDay, readDays, readLoad, readLoads } from './review-api.ts';

/** The kinds of items that the page lists. */
export type Kind = 'loads' | 'days' | 'crossings';

/** A load, a day or a crossing of a geofence that needs a person. */
export type Item = { id: string; name: string; reasons: string[] } & (
  | { kind: 'loads'; load: ReviewedLoad }
  | { kind: 'days'; day: ReviewedDay }
  | { kind: 'crossings'; crossing: Crossing }
);

const ofLoad = (load: ReviewedLoad): Item => ({
  kind: 'loads',
  id: load.id,
  name: `load ${load.loadId}`,
  reasons: reasonsOfLoad(load),
  load,
});
const ofDay = (day: ReviewedDay): Item => ({ kind: 'days', id: day.id, name: `day ${day.driverDayId}`, reasons: reasonsOfDay(day), day });

const ofCrossing = (crossing: Crossing): Item => ({
  kind: 'crossings',
  id: crossing.id,
  name: `job ${crossing.job.jobId}, ${crossedOf(crossing)}`,
  reasons: reasonsOfCrossing(crossing),
  crossing,
});

const pageOf = <T>({ items, next }: Found<T>, itemOf: (one: T) => Item): Found<Item> => ({ items: items.map(itemOf), next });

/** Returns a page of what needs a person: the oldest first, crossings the newest first, because they can be undone for an hour. */
export async function readItems(kind: Kind, after: string, company: string): Promise<Found<Item>> {
  if (kind === 'days') return pageOf(await readDays(after, company), ofDay);
  if (kind === 'crossings') return pageOf(await readCrossings(after, company), ofCrossing);
  return pageOf(await readLoads(after, company), ofLoad);
}

/** Returns one of them as it is now. */
export async function readItem(item: Item, company: string): Promise<Item> {
  if (item.kind === 'days') return ofDay(await readDay(item.id, company));
  if (item.kind === 'crossings') return ofCrossing(await readCrossing(item.crossing, company));
  return ofLoad(await readLoad(item.id, company));
}

export const nameOf = (person: { firstName: string; lastName: string } | null): string =>
  person ? `${person.firstName} ${person.lastName}`.trim() : '';

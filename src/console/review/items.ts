import { reasonsOfDay, reasonsOfLoad } from './reasons.ts';
import { type Found, type ReviewedDay, type ReviewedLoad, readDay, readDays, readLoad, readLoads } from './review-api.ts';

/** What the page lists. */
export type Kind = 'loads' | 'days';

/** A load or a day that needs a person. */
export type Item = { id: string; name: string; reasons: string[] } & (
  | { kind: 'loads'; load: ReviewedLoad }
  | { kind: 'days'; day: ReviewedDay }
);

const ofLoad = (load: ReviewedLoad): Item => ({
  kind: 'loads',
  id: load.id,
  name: `load ${load.loadId}`,
  reasons: reasonsOfLoad(load),
  load,
});
const ofDay = (day: ReviewedDay): Item => ({ kind: 'days', id: day.id, name: `day ${day.driverDayId}`, reasons: reasonsOfDay(day), day });

/** Returns a page of what needs a person, the oldest first. */
export async function readItems(kind: Kind, after: string, company: string): Promise<Found<Item>> {
  if (kind === 'days') {
    const { items, next } = await readDays(after, company);
    return { items: items.map(ofDay), next };
  }
  const { items, next } = await readLoads(after, company);
  return { items: items.map(ofLoad), next };
}

/** Returns one of them as it is now. */
export const readItem = async (kind: Kind, id: string, company: string): Promise<Item> =>
  kind === 'days' ? ofDay(await readDay(id, company)) : ofLoad(await readLoad(id, company));

export const nameOf = (person: { firstName: string; lastName: string } | null): string =>
  person ? `${person.firstName} ${person.lastName}`.trim() : '';

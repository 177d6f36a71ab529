import type { ScaleLoad } from './files.ts';

/** The loads that a truck hauled one after the other; the scale names no truck, so these are put together by their times. */
export type Haul = readonly ScaleLoad[];

const HOURS = 8;
const MINUTE = 60_000;
/** Minutes from one load of a truck to its next one: it drives to the drop-off and back in the meantime, and does not rest for long. */
const [SOONEST, LATEST] = [30, 120];

export const timeOf = (load: ScaleLoad): number => Date.parse(load.load_time.replace(' UTC', 'Z').replace(' ', 'T'));

/** Returns what trucks hauled in the eight busiest hours of the busiest day. */
export function haulsOf(loads: readonly ScaleLoad[]): Haul[] {
  const days = [...Map.groupBy(loads, ({ report_date: day }) => day).values()];
  const busiest = days.reduce((best, day) => (day.length > best.length ? day : best));
  const sorted = busiest.toSorted((a, b) => timeOf(a) - timeOf(b));
  const within = sorted.map((first) =>
    sorted.filter((load) => timeOf(load) >= timeOf(first) && timeOf(load) < timeOf(first) + HOURS * 60 * MINUTE),
  );
  const chosen = within.reduce((best, some) => (some.length > best.length ? some : best));
  const ofKind = Map.groupBy(chosen, ({ load_type: type, dropoff_site: site }) => `${type} ${site}`);
  return [...ofKind.values()].flatMap(chained);
}

/** A load is hauled by the truck that has rested least since its last one, or by another truck. */
function chained(loads: readonly ScaleLoad[]): ScaleLoad[][] {
  const trucks: ScaleLoad[][] = [];
  for (const load of loads) {
    const rested = (truck: ScaleLoad[]) => (timeOf(load) - timeOf(truck.at(-1)!)) / MINUTE;
    const free = trucks.filter((truck) => rested(truck) >= SOONEST && rested(truck) <= LATEST).sort((a, b) => rested(a) - rested(b));
    if (free[0]) free[0].push(load);
    else trucks.push([load]);
  }
  return trucks;
}

/** Minutes before a load is weighed that its truck comes to the pit, and after which it is at the drop-off, leaves that, and is back near the pit. */
const WAY = { comes: -5, leaves: 0, arrives: 8, departs: 13, back: 21 };
/** Metres north of the pit at which a truck waits. */
const WAITS = -1_000;
const EVERY = 30_000;

/** Returns where the truck of a haul was every half minute, in metres north of the pit. @param shift milliseconds to add to all times */
export function wayOf(haul: Haul, shift: number, bridge: number): { at: number; metres: number }[] {
  const corners = haul.flatMap((load) => {
    const at = (minutes: number) => timeOf(load) + shift + minutes * MINUTE;
    return [
      ...[
        { at: at(WAY.comes - 2), metres: WAITS },
        { at: at(WAY.comes), metres: 0 },
        { at: at(WAY.leaves), metres: 0 },
      ],
      ...[
        { at: at(WAY.arrives), metres: bridge },
        { at: at(WAY.departs), metres: bridge },
        { at: at(WAY.back), metres: WAITS },
      ],
    ];
  });
  const last = corners.at(-1)!.at;
  const way: { at: number; metres: number }[] = [];
  for (let at = corners[0]!.at, next = 1; at <= last; at += EVERY) {
    while (next < corners.length - 1 && corners[next]!.at < at) next++;
    const [from, to] = [corners[next - 1]!, corners[next]!];
    way.push({ at, metres: from.metres + ((to.metres - from.metres) * (at - from.at)) / (to.at - from.at) });
  }
  return way;
}

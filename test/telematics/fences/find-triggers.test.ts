import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatedPositions, type Position } from '../../../src/telematics/fences/evaluated-positions.ts';
import { BEGINNING, findTriggers, type Progress, type Rule, type Trigger } from '../../../src/telematics/fences/find-triggers.ts';
import { type Place, type Region, regionOf } from '../../../src/telematics/fences/region.ts';
import { runs } from '../../helpers/properties.ts';
import { leastProcessorTime } from '../../helpers/until.ts';

const PIT: Place = { lat: 30.25, lon: -97.75 };
const DEGREE = (Math.PI / 180) * 6_371_008.8;
const circle = (radius: number, center = PIT): Region => regionOf({ kind: 'circle', center, radius });
const east = (metres: number, from = PIT): Place => ({
  lat: from.lat,
  lon: from.lon + metres / (DEGREE * Math.cos((from.lat * Math.PI) / 180)),
});

/** A position `seconds` after the beginning, so many metres east of the pit. */
const ping = (seconds: number, metres: number, accuracy: number | null = 8, more: Partial<Position> = {}): Position => ({
  ...{ id: `p${seconds}`, at: seconds * 1000, accuracy, source: 'phone', device: 'phone' },
  ...east(metres),
  ...more,
});
const live = (delaySeconds: number): Rule => ({ strategy: 'live', delaySeconds });
const found = (region: Region, rule: Rule, ...positions: Position[]) =>
  findTriggers(region, evaluatedPositions(positions), rule).triggers.map(brief);
const brief = ({ type, position, confirmedAt, confidence, crossed, causedBy }: Trigger) => ({
  ...{ type, at: position.at / 1000, confirmed: confirmedAt / 1000, confidence },
  ...(crossed ? { crossed } : {}),
  ...(causedBy === 'fence' ? { causedBy } : {}),
});
const [ENTER, EXIT] = ['enter', 'exit'] as const;

test('M5: a drifting position is no exit, and a trigger is when the first position on that side was, not the confirming one', () => {
  const pings = [ping(0, 190), ping(30, 140), ping(60, 165, 60), ping(95, 120), ping(600, 185), ping(640, 160), ping(655, 140)];
  const way = [...pings, ping(900, 190), ping(930, 220), ping(965, 300)];
  expect(found(circle(150), live(60), ...way)).toEqual([
    { type: ENTER, at: 30, confirmed: 95, confidence: 0.85 },
    { type: EXIT, at: 900, confirmed: 965, confidence: 0.85 },
  ]);
});

test('the edge is inside, a delay of 0 needs one position, and back inside before the delay goes on with the visit', () => {
  expect(found(circle(150), live(0), ping(0, 149.9999))).toEqual([{ type: ENTER, at: 0, confirmed: 0, confidence: 0.43 }]);
  expect(found(circle(150), live(60), ping(0, 10), ping(60, 10), ping(90, 300), ping(149, 300), ping(150, 100), ping(160, 300))).toEqual([
    { type: ENTER, at: 0, confirmed: 60, confidence: 0.85 },
  ]);
});

test('naive judges each position alone; accuracy_strict needs two whole circles on a side and no unknown accuracy', () => {
  const drifting = [ping(0, 100, 90), ping(30, 100, 90), ping(60, 160, 90), ping(90, 100, 90)];
  const naive: Rule = { strategy: 'naive', delaySeconds: 0 };
  expect(found(circle(150), naive, ...drifting).map(({ type, at }) => [type, at])).toEqual([
    [ENTER, 0],
    [EXIT, 60],
    [ENTER, 90],
  ]);
  expect(found(circle(150), live(0), ...drifting)).toHaveLength(1);
  const strict: Rule = { strategy: 'accuracy_strict', delaySeconds: 0 };
  expect(found(circle(150), strict, ...drifting)).toEqual([]);
  expect(found(circle(150), strict, ping(0, 100, null), ping(10, 145, 8), ping(20, 140, 8), ping(30, 130, 8))).toEqual([
    { type: ENTER, at: 20, confirmed: 30, confidence: 0.95 },
  ]);
});

test('positions that are too poor do not vote, and those of a network alone, few, or over a gap are less certain', () => {
  expect(found(circle(300), live(0), ping(0, 100, 201))).toEqual([]);
  expect(found(circle(300), live(60), ping(0, 100, 60), ping(30, 100, 60), ping(60, 100, 60))[0]?.confidence).toBe(0.68);
  expect(found(circle(300), live(60), ping(0, 100), ping(90, 100))[0]?.confidence).toBe(0.43);
  // Silent for twenty minutes within the run, and inside before and after.
  expect(found(circle(300), live(600), ping(0, 100), ping(30, 100), ping(1230, 100))[0]).toEqual(
    expect.objectContaining({ at: 0, confidence: 0.51 }),
  );
  // Nobody knows what happened in the silence: the entry is not dated into it.
  expect(found(circle(300), live(60), ping(0, 100), ping(30, 310), ping(1230, 100), ping(1260, 100), ping(1290, 100))[0]?.at).toBe(1230);
});

test('who drives through between two positions crossed the fence, and a fence off the way is not crossed', () => {
  expect(found(circle(150), live(60), ping(0, -600), ping(30, 600))).toEqual([
    { type: ENTER, at: 30, confirmed: 30, confidence: 0, crossed: true },
  ]);
  expect(found(circle(150), live(60), ping(0, 600), ping(30, 1200))).toEqual([]);
  expect(found(circle(150), live(60), ping(0, -600), ping(1000, 600))).toEqual([]);
  const square = regionOf({ kind: 'polygon', ring: ring(200) });
  expect(found(square, live(60), ping(0, -600), ping(30, 600)).map(({ crossed }) => crossed)).toEqual([true]);
});

/** A closed square around the pit with a way out to its middle. */
const ring = (half: number): [number, number][] => {
  const { lon } = east(half);
  const [w, e, s, n] = [2 * PIT.lon - lon, lon, PIT.lat - half / DEGREE, PIT.lat + half / DEGREE];
  return [
    ...([
      [w, s],
      [e, s],
      [e, n],
      [w, n],
      [w, s],
    ] as [number, number][]),
  ];
};

test('a polygon is measured to its edge', () => {
  const square = regionOf({ kind: 'polygon', ring: ring(200) });
  const triggers = found(square, live(30), ping(0, 199), ping(30, 199), ping(60, 215), ping(90, 240), ping(120, 240));
  expect(triggers.map(({ type, at }) => [type, at])).toEqual([
    [ENTER, 0],
    [EXIT, 90],
  ]);
});

test('a paver that drives away from a parked truck is an exit caused by the fence, and a truck that leaves it is one of its own', () => {
  const track = [0, 60, 120, 180, 240, 300].map((seconds) => ({ at: seconds * 1000, ...east(Math.max(0, seconds - 60) * 2) }));
  const paver = regionOf({ kind: 'moving', radius: 100, track, pollingSeconds: 60 });
  const parked = [0, 30, 60, 90, 120, 150, 180, 210, 240].map((seconds) => ping(seconds, 0));
  expect(found(paver, live(30), ...parked)).toEqual([
    { type: ENTER, at: 0, confirmed: 30, confidence: 0.85 },
    { type: EXIT, at: 120, confirmed: 150, confidence: 0.85, causedBy: 'fence' },
  ]);
  const still = regionOf({ kind: 'moving', radius: 100, track: [{ at: 0, ...PIT }], pollingSeconds: 60 });
  expect(found(still, live(0), ping(0, 0), ping(60, 400), ping(1860, 400), ping(1861, 0)).map(({ type, at }) => [type, at])).toEqual([
    [ENTER, 0],
    [EXIT, 60],
  ]);
});

test('A12: of a telephone and a truck 80 m apart only one is looked at, the truck if both are good', () => {
  const both = Array.from({ length: 40 }, (_, i) => [
    ping(i * 30, 145, 5),
    ping(i * 30 + 1, 225, 5, { source: 'telematics', id: `t${i}` }),
  ]).flat();
  const sources = new Set(evaluatedPositions(both).map(({ source }) => source));
  expect(sources.has('telematics')).toBe(true);
  expect(
    evaluatedPositions(both)
      .slice(1)
      .every(({ source }) => source === 'telematics'),
  ).toBe(true);
  expect(found(circle(150), live(60), ...both)).toEqual([]);
  const lone = [...both.filter(({ source }) => source === 'phone'), ping(600, 225, 5, { source: 'telematics', id: 'lone' })];
  expect(evaluatedPositions(lone).every(({ source }) => source === 'phone')).toBe(true);
});

/** Ways around fences: steps in seconds and metres, with accuracies and two sources. */
const ways = fc
  .array(
    fc.record({
      after: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 900, max: 1200 })),
      metres: fc.integer({ min: -400, max: 400 }),
      accuracy: fc.option(fc.integer({ min: 1, max: 250 })),
      source: fc.constantFrom('phone' as const, 'phone' as const, 'telematics' as const),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let seconds = 0;
    return steps.map(({ after, metres, accuracy, source }) => {
      seconds += after;
      return ping(seconds, metres, accuracy, { source });
    });
  });
const rules = fc.record({ strategy: fc.constantFrom('live', 'naive', 'accuracy_strict'), delaySeconds: fc.constantFrom(0, 30, 300) });

test('in whatever order and parts positions come, the triggers are the same, and enter and exit alternate in time (A-I4)', () => {
  fc.assert(
    fc.property(ways, rules as fc.Arbitrary<Rule>, fc.infiniteStream(fc.nat()), fc.nat(60), (way, rule, draws, cut) => {
      const region = circle(150);
      const whole = findTriggers(region, evaluatedPositions(way), rule).triggers;
      const shuffled = [...way, ...way.slice(cut)].map((one) => ({ one, by: draws.next().value })).toSorted((a, b) => a.by - b.by);
      expect(findTriggers(region, evaluatedPositions(shuffled.map(({ one }) => one)), rule).triggers).toEqual(whole);
      // The progress up to a moment, kept as JSON, and the rest.
      const positions = evaluatedPositions(way);
      const first = findTriggers(region, positions.slice(0, cut), rule);
      const progress = JSON.parse(JSON.stringify(first.progress)) as Progress;
      expect([...first.triggers, ...findTriggers(region, positions, rule, progress).triggers]).toEqual(whole);
      const visits = whole.filter(({ crossed }) => !crossed);
      expect(visits.every(({ type }, i) => type === (i % 2 === 0 ? ENTER : EXIT))).toBe(true);
      expect(visits.every(({ position }, i) => i === 0 || position.at >= visits[i - 1]!.position.at)).toBe(true);
      expect(whole.every(({ confidence }) => confidence >= 0 && confidence <= 1)).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

test('a thousand late positions against twenty fences cost less than 50 ms of processor time', async () => {
  const way = Array.from({ length: 1_000 }, (_, i) => ping(i * 10, Math.sin(i / 40) * 2_000, 8, { id: `p${i}` }));
  const corners = Array.from({ length: 100 }, (_, i): [number, number] => {
    const angle = (2 * Math.PI * (i % 99)) / 99;
    return [PIT.lon + 0.002 * Math.cos(angle), PIT.lat + 0.002 * Math.sin(angle)];
  });
  const fences = Array.from({ length: 20 }, (_, i) =>
    i % 4 === 0 ? regionOf({ kind: 'polygon', ring: corners }) : circle(150, east(i * 90)),
  );
  const all = () => {
    const positions = evaluatedPositions(way.toReversed());
    return fences.map((fence) => findTriggers(fence, positions, live(60), BEGINNING).triggers.length);
  };
  expect(all().some((count) => count > 2)).toBe(true);
  expect(await leastProcessorTime(all)).toBeLessThan(50);
});

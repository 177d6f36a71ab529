import { randomUUID } from 'node:crypto';
import type { Person } from '../../helpers/tenant.ts';
import { fire, type Step } from './office-steps.ts';
import { by, type Dice, instant, type Json, jobsOf, pick, placeAt, present, type Scene, type Sent } from './scene.ts';

/** The next events of a job on the road, by its state. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  sent: ['accept'],
  assigned: ['accept'],
  accepted: ['enroute'],
  to_pickup: ['arrive', 'arrive', 'load_material'],
  arrived_pickup: ['load_material'],
  loaded: ['enroute'],
  to_dropoff: ['arrive', 'arrive', 'unload_material'],
  arrived_dropoff: ['unload_material'],
  unloaded: ['complete_load'],
  load_completed: ['enroute', 'enroute', 'complete'],
};
const isDriven = (job: Json): boolean => job.driver && NEXT[job.state] !== undefined;
const personOf = ({ drivers }: Scene, job: Json): Person | undefined => drivers.find(({ id }) => id === job.driver?.id);

/** Moves the clock of a driver's telephone on, but not beyond the present. @returns its minutes */
function later(scene: Scene, driver: Person, minutes: number): number {
  const clock = Math.min((scene.clocks.get(driver.id) ?? 5) + minutes, present(scene) - 1);
  scene.clocks.set(driver.id, clock);
  return clock;
}

/** When a telephone says that something was: in most cases some minutes ago, because it was offline. */
function said(scene: Scene, driver: Person, dice: Dice): { occurred_at?: string } {
  const way = dice.below(100);
  if (way < 4) return {};
  // Its clock is ahead.
  if (way < 7) return { occurred_at: instant(scene, present(scene) + 4) };
  // An event that is out of order.
  if (way < 12) return { occurred_at: instant(scene, (scene.clocks.get(driver.id) ?? 5) - 10) };
  return { occurred_at: instant(scene, later(scene, driver, 1 + dice.below(4))) };
}

/** Reports one event of a job, in most cases the next one. */
const report = (
  scene: Scene,
  dice: Dice,
  choose: () => Promise<Json | undefined>,
  eventOf: (job: Json) => string,
): Promise<Sent | undefined> =>
  fire(scene, dice, choose, async (job) => {
    const driver = personOf(scene, job);
    if (!driver) return undefined;
    const event = eventOf(job);
    const path = `/v1/jobs/${job.id}/${event}`;
    const body = event === 'accept' ? {} : { ...(dice.chance(0.5) ? { id: randomUUID() } : {}), ...said(scene, driver, dice) };
    const sent = await driver.http('PUT', path, body);
    if ('id' in body) scene.events.push({ by: driver, path, body });
    return { event, sent };
  });
const ANY = ['enroute', 'arrive', 'load_material', 'complete'];

const goOn: Step = (scene, dice) =>
  report(
    scene,
    dice,
    async () => pick(dice, await jobsOf(scene), isDriven),
    ({ state: now }) => dice.of(NEXT[now] ?? ANY),
  );

/** Hauls until the load is completed, as long as nothing is refused. */
const haul: Step = async (scene, dice) => {
  const chosen = pick(dice, await jobsOf(scene), isDriven);
  let last: Sent | undefined;
  let next: string | undefined;
  for (let step = 0; step < 8 && chosen && next !== 'complete_load'; step++) {
    const sent = await report(
      scene,
      dice,
      async () => (await jobsOf(scene)).find(({ id, state: now }) => id === chosen.id && NEXT[now]),
      ({ state: now }) => {
        next = NEXT[now]![0]!;
        return next;
      },
    );
    last = sent ?? last;
    if (sent?.status !== 200) break;
  }
  return last;
};

const onRoad =
  (event: string, fit: (job: Json) => boolean): Step =>
  async (scene, dice) => {
    const job = pick(dice, await jobsOf(scene), fit);
    const driver = job && personOf(scene, job);
    return driver?.http('PUT', `/v1/jobs/${job.id}/${event}`, {});
  };

/** A telephone that got no answer sends an event once more. */
const again: Step = async ({ events }, dice) => {
  if (events.length === 0) return undefined;
  const { by: driver, path, body } = dice.of(events);
  return driver.http('PUT', path, body);
};

/** A driver says that they are on duty, on a break or off, now or then. */
const state =
  (name: string): Step =>
  async (scene, dice) => {
    const driver = dice.of(scene.drivers);
    const path = `/v1/users/me/driver_day/${name}`;
    const body = { ...(dice.chance(0.5) ? { id: randomUUID() } : {}), ...said(scene, driver, dice) };
    if ('id' in body) scene.events.push({ by: driver, path, body });
    return driver.http('PUT', path, body);
  };

/** A driver drives to the next site of a job and stays there for a while; the telephone sends where they were in parts, of which some come late or twice. */
const drive: Step = async (scene, dice) => {
  const job = pick(dice, await jobsOf(scene), (one) => isDriven(one) && !['sent', 'assigned'].includes(one.state));
  const driver = job && personOf(scene, job);
  if (!driver) return undefined;
  const from = scene.places.get(driver.id) ?? -3_000;
  const to = ['loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'].includes(job.state) ? 5_000 : 0;
  const start = scene.clocks.get(driver.id) ?? 5;
  const end = later(scene, driver, 8);
  if (end - start < 4) return undefined;
  const halves = Math.floor((end - start) * 2);
  const positions = Array.from({ length: halves + 1 }, (_, i) => ({
    ...{ occurred_at: instant(scene, start + i / 2), job_id: job.id, accuracy: 8 },
    ...placeAt(from + (to - from) * Math.min(1, i / (halves - 5))),
  }));
  scene.places.set(driver.id, to);
  const cut = 1 + dice.below(positions.length - 1);
  const parts = [positions.slice(0, cut), positions.slice(dice.chance(0.3) ? Math.max(0, cut - 3) : cut)];
  if (dice.chance(0.3)) parts.reverse();
  let last: Sent | undefined;
  for (const locations of parts) {
    if (locations.length > 0) last = await driver.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations });
    if (dice.chance(0.5)) await scene.app.settled();
  }
  return last;
};

/** Takes back what followed from positions. */
const undo: Step = async (scene, dice) => {
  const job = pick(dice, await jobsOf(scene), ({ state: now }) => !['created', 'assigned', 'sent', 'rejected'].includes(now));
  if (!job) return undefined;
  const events: Json[] = await scene.at.admin.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  const automatic = events.filter(({ event_source }) => event_source === 'geofence' || event_source === 'ticket_match');
  return automatic.length === 0 ? undefined : by(scene, 'PUT', `/v1/job_events/${dice.of(automatic).id}/undo`, {});
};

const correctTimes: Step = async (scene, dice) => {
  const job = pick(dice, await jobsOf(scene), ({ state: now }) => ['completed', 'ended', 'in_review'].includes(now));
  if (!job) return undefined;
  const start = dice.below(60);
  const input = dice.of<Json>([
    { adjusted_logging_started_at: instant(scene, start), adjusted_logging_ended_at: instant(scene, start + 45) },
    { adjusted_logging_started_at: null, adjusted_logging_ended_at: null },
    { approved_work_time_minutes: dice.of([null, 30, 90]) },
  ]);
  return by(scene, 'PATCH', `/jobs/${job.id}/summary`, input);
};

const UNDER_WAY = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff'];
/** What drivers and their telephones do, by what it is called. */
export const ROAD: Readonly<Record<string, Step>> = {
  'go on': goOn,
  'haul a load': haul,
  'decline a job': onRoad('reject', ({ state: now, driver }) => driver && ['sent', 'accepted'].includes(now)),
  'pause a job': onRoad('pause', ({ state: now, pausedAt }) => UNDER_WAY.includes(now) && !pausedAt),
  'resume a job': onRoad('resume', ({ pausedAt }) => pausedAt),
  'complete a job': (scene, dice) =>
    report(
      scene,
      dice,
      async () => pick(dice, await jobsOf(scene), ({ stateEvents, driver }) => driver && stateEvents.includes('complete')),
      () => 'complete',
    ),
  'send an event again': again,
  'go on duty': state('on_duty'),
  'take a break': state('break'),
  'go off duty': state('off_duty'),
  'end a shift from the office': (scene, dice) => by(scene, 'PUT', `/v1/drivers/${dice.of(scene.drivers).id}/driver_state/off_duty`, {}),
  drive,
  'undo what a geofence did': undo,
  'correct the times of a job': correctTimes,
};

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { makeRoad, type Road } from './road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const STAMPS = ['arrived_pickup_at', 'loaded_at', 'arrived_dropoff_at', 'unloaded_at', 'load_completed_at'];
/** The buttons that a driver usually presses in a state of the job. */
const NEXT: Record<string, string[]> = {
  assigned: ['accept'],
  accepted: ['enroute'],
  to_pickup: ['arrive', 'load_material'],
  arrived_pickup: ['load_material'],
  loaded: ['enroute'],
  to_dropoff: ['arrive', 'unload_material'],
  arrived_dropoff: ['unload_material'],
  unloaded: ['complete_load'],
  load_completed: ['enroute'],
};
const PLACES = { pit: 0, road: 2_500, bridge: 5_000 };

/** Work on a road: the job that goes on, and the minute of the latest report. */
interface Work {
  road: Road;
  jobId: string;
  minute: number;
}

/** When something is reported: so many minutes after the report before, at any time of the day, or without a time. */
type When = { after: number } | { minute: number } | undefined;

function timeOf(work: Work, when: When): string | undefined {
  if (!when) return undefined;
  if ('minute' in when) return work.road.at(when.minute);
  work.minute = Math.min(work.minute + when.after, 184);
  return work.road.at(work.minute);
}

const loadsOf = async ({ road }: Work): Promise<Json[]> => {
  const loads: Json[] = await tenant.must('GET', tenant.path(`/orders/${road.orderId}/loads?page[limit]=100`));
  return loads.sort((a, b) => a.load_id.localeCompare(b.load_id));
};
const pick = <T>(ones: readonly T[], n: number): T | undefined => ones[n % ones.length];

/** The acts that may happen to the loads of a job. Each answers with a status, or nothing where there is nothing to do. */
const acts = {
  async press(work: Work, n: number, when: When) {
    const { state } = await tenant.must('GET', `/v1/jobs/${work.jobId}`);
    const event = pick(NEXT[state] ?? ['enroute'], n);
    const occurred_at = timeOf(work, when);
    return (await tenant.http('PUT', `/v1/jobs/${work.jobId}/${event}`, occurred_at ? { occurred_at } : {})).status;
  },
  async correct(work: Work, n: number, when: When) {
    const load = pick(await loadsOf(work), n);
    const at = timeOf(work, when) ?? null;
    const body = Object.fromEntries(STAMPS.slice(0, 4).flatMap((stamp, i) => ((n >> i) % 2 ? [[stamp, at]] : [])));
    return (await tenant.http('PATCH', `/v1/loads/${load.id}/summary`, body)).status;
  },
  async completeLoad(work: Work, n: number) {
    return (await tenant.http('PUT', tenant.path(`/loads/${pick(await loadsOf(work), n).id}/complete`), {})).status;
  },
  async positions(work: Work, n: number, when: When) {
    timeOf(work, when);
    // Some of them come late.
    const from = when && 'minute' in when ? when.minute : work.minute;
    const metres = pick(Object.values(PLACES), n)!;
    await work.road.drive(...[0, 0.5, 1, 1.5].map((more): [number, number] => [Math.min(from + more, 184), metres]));
    work.minute = Math.max(work.minute, Math.min(from + 1.5, 184));
    return 204;
  },
  async undo(work: Work) {
    const event = (await work.road.triggers()).findLast(({ job_event_id }) => job_event_id)?.job_event_id;
    if (!event) return undefined;
    const { errors } = await tenant.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { id } }', { id: event });
    return errors ? (errors[0].extensions.code === 'conflict' ? 409 : errors) : 200;
  },
  async ticket(work: Work, n: number, when: When) {
    const load = pick(await loadsOf(work), n);
    const service_date = timeOf(work, when);
    const fields = { load_id: load.id, unit_of_measure: 'Ton', quantity: 21, ...(service_date ? { service_date } : {}) };
    const { status } = await tenant.http('POST', '/v1/tickets', fields);
    await until(async () => (await app.orm.em.execute('select id from ticket_match_task')).length === 0);
    return status;
  },
  async handOver(work: Work) {
    const second = await tenant.person({ roles: ['driver'] });
    const { data, errors } = await tenant.gql('mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { id } }', {
      ...{ id: work.jobId, driver: second.id },
    });
    if (errors) return errors[0].extensions.code === 'conflict' ? 409 : errors;
    work.jobId = data.handOverJob.id;
    return 200;
  },
};
type Act = keyof typeof acts;

const when = fc.oneof(
  { weight: 6, arbitrary: fc.record({ after: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ minute: fc.integer({ min: -20, max: 184 }) }) },
  { weight: 2, arbitrary: fc.constant(undefined) },
);
const weighted = (weight: number, act: Act) => ({ weight, arbitrary: fc.constant(act) });
const step = fc.record({
  act: fc.oneof(
    ...[weighted(10, 'press'), weighted(3, 'correct'), weighted(1, 'completeLoad'), weighted(6, 'positions')],
    ...[weighted(2, 'undo'), weighted(1, 'ticket'), weighted(1, 'handOver')],
  ),
  n: fc.integer({ min: 0, max: 1_000 }),
  when,
});

/** A load that is driven all the way. */
const wholeLoad = [
  ...[
    { act: 'correct' as const, n: 1, when: { minute: 1 } },
    { act: 'positions' as const, n: 1, when: { after: 0 } },
  ],
  ...Array.from({ length: 7 }, () => ({ act: 'press' as const, n: 0, when: { after: 2 } })),
];

test('A-I5: whatever is pressed, corrected, completed, crossed, undone, weighed and handed over, no time of a load is before that of the step before', async () => {
  const done = new Map<string, number>();
  let stamped = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 18 }), async (steps) => {
      const road = await makeRoad(tenant);
      const work: Work = { road, jobId: road.jobId, minute: 0 };
      for (const { act, n, when } of steps) {
        const status = await acts[act](work, n, when);
        expect([undefined, 200, 201, 204, 400, 409, 422]).toContain(status);
        if (status && status < 300) done.set(act, (done.get(act) ?? 0) + 1);
        for (const { load_id, load_summary } of await loadsOf(work)) {
          const times = STAMPS.flatMap((stamp) => load_summary[stamp] ?? []);
          expect([act, load_id, times]).toEqual([act, load_id, times.toSorted()]);
          stamped = Math.max(stamped, times.length);
        }
      }
    }),
    { numRuns: sweepRuns(5, 2), endOnFailure: true, examples: [[wholeLoad]] },
  );
  expect(stamped).toBe(STAMPS.length);
  expect([...done.keys()]).toEqual(expect.arrayContaining(['press', 'correct', 'positions']));
}, 600_000);

test('what the office entered of a step stays, whatever a geofence shows of it', async () => {
  const road = await makeRoad(tenant);
  await road.press('enroute', 0);
  const { id } = await road.load();
  await tenant.must('PATCH', `/v1/loads/${id}/summary`, { arrived_pickup_at: road.at(2) });
  await road.go([5, 0], [8, 0]);
  expect([(await road.job()).state, (await road.load()).load_summary.arrived_pickup_at]).toEqual(['arrived_pickup', road.at(2)]);
});

test('of a load that was handed over, the second truck shows its own times; what the office entered since stays', async () => {
  const arrived = async (road: Road) => [(await road.job()).state, (await road.load()).load_summary.arrived_pickup_at];
  const enter = async (road: Road, minute: number) =>
    tenant.must('PATCH', `/v1/loads/${(await road.load()).id}/summary`, { arrived_pickup_at: road.at(minute) });
  const handedOver = async () => {
    const first = await makeRoad(tenant);
    await first.press('enroute', 0);
    await enter(first, 2);
    const second = await first.handOver();
    await second.driver.must('PUT', `/v1/jobs/${second.jobId}/accept`, {});
    // It was handed over when the first truck had been there, and not when this test runs.
    await app.orm.em.execute('update load set created_at = ? where job_id = ?', [new Date(first.at(3)), second.jobId]);
    await second.press('enroute', 4);
    return second;
  };
  const [itself, entered] = [await handedOver(), await handedOver()];
  expect(await arrived(itself)).toEqual(['to_pickup', itself.at(2)]);
  await itself.go([5, 0], [8, 0]);
  const [state, time] = await arrived(itself);
  expect([state, time >= itself.at(5)]).toEqual(['arrived_pickup', true]);
  await enter(entered, 4.5);
  await entered.go([5, 0], [8, 0]);
  expect(await arrived(entered)).toEqual(['arrived_pickup', entered.at(4.5)]);
});

import { graphqlStatus } from '../../helpers/graphql-status.ts';
import { orderInput } from '../../helpers/tenant.ts';
import { by, type Dice, dateOf, type Json, jobsOf, loadsOf, type Member, ordersOf, pick, prices, type Scene, type Sent } from './scene.ts';

/** Does something, which may be refused. */
export type Step = (scene: Scene, dice: Dice) => Promise<Sent | undefined>;

let numbers = 0;
export const nextNumber = (): number => ++numbers;

/** Somebody who is here: in most cases the administrator, for whom hardly anything is refused. */
export const somebody = ({ members }: Scene, dice: Dice): Member =>
  dice.chance(0.6)
    ? members[0]!
    : pick(
        dice,
        members.filter(({ here }) => here),
      );

const stops = ({ sites }: Scene, dice: Dice): Json[] => [
  { type: 'pickup', site_id: dice.of(sites), ordinality: 0 },
  { type: 'drop_off', site_id: dice.of(sites), ordinality: 1 },
];
/** Nobody, one of the people, or two. */
const crew = ({ members }: Scene, dice: Dice): string[] => [
  ...new Set(Array.from({ length: dice.of([0, 1, 1, 2]) }, () => dice.of(members).id)),
];
const driver = ({ drivers }: Scene, dice: Dice): string => dice.of(drivers).id;

/** What a new order says. */
export const newOrder = (scene: Scene, dice: Dice): Json =>
  orderInput(scene.at, {
    ...{ load_at: new Date(Date.now() + dice.of([0, 0, 0, 24]) * 3_600_000).toISOString(), truck_count: 1 + dice.below(2) },
    ...{ waypoints: stops(scene, dice), loads_per_truck: 1 + dice.below(2), material_id: scene.at.material.id },
    ...{ project_id: dice.of([...scene.projects, null]), unit_of_measure: 'Ton', load_unit_of_measure: 'Ton', job_unit_of_measure: 'Ton' },
    ...(dice.chance(0.4) ? { foreman_ids: crew(scene, dice) } : {}),
    ...(dice.chance(0.3) ? { requester_id: dice.of(scene.members).id } : {}),
    ...(dice.chance(0.6) ? { driver_id: driver(scene, dice) } : {}),
    ...(dice.chance(0.4) ? { equipment_id: dice.of(scene.trucks) } : {}),
    ...prices(10 + dice.below(80)),
  });

const changesOfOrder = (scene: Scene, dice: Dice): readonly Json[] => [
  { waypoints: stops(scene, dice) },
  { waypoints: stops(scene, dice) },
  { foreman_ids: crew(scene, dice) },
  { foreman_ids: crew(scene, dice), collaborator_ids: crew(scene, dice) },
  { salesperson_ids: crew(scene, dice) },
  { requester_id: dice.of([...scene.members.map(({ id }) => id), null]) },
  { project_id: dice.of([...scene.projects, null]) },
  { truck_count: 1 + dice.below(3) },
  { driver_rate_value: 20 + dice.below(9), driver_rate_type: 'RatePerLoad' },
  { notes: `note ${nextNumber()}` },
];
const changesOfJob = (scene: Scene, dice: Dice): readonly Json[] => [
  { waypoints: stops(scene, dice) },
  { foreman_ids: crew(scene, dice) },
  { collaborator_ids: crew(scene, dice) },
  { equipment_id: dice.of([...scene.trucks, null]) },
  { customer_rate_value: 30 + dice.below(9), customer_rate_type: 'RatePerLoad' },
  { notes: `note ${nextNumber()}` },
];

export const onJob =
  (act: (scene: Scene, dice: Dice, job: Json) => Promise<Sent | undefined>, fit?: (job: Json) => boolean): Step =>
  async (scene, dice) => {
    const job = pick(dice, await jobsOf(scene), fit);
    return job && act(scene, dice, job);
  };
export const onLoad =
  (act: (scene: Scene, dice: Dice, load: Json) => Promise<Sent | undefined>, fit?: (load: Json) => boolean): Step =>
  async (scene, dice) => {
    const load = pick(dice, await loadsOf(scene), fit);
    return load && act(scene, dice, load);
  };
export const onOrder =
  (act: (scene: Scene, dice: Dice, order: Json) => Promise<Sent | undefined>, fit?: (order: Json) => boolean): Step =>
  async (scene, dice) => {
    const order = pick(dice, await ordersOf(scene), fit);
    return order && act(scene, dice, order);
  };
/** Fires an event of a job or an order that it offers. */
const event =
  (path: string, recordsOf: (scene: Scene) => Promise<Json[]>, events: readonly string[]): Step =>
  async (scene, dice) => {
    const name = dice.of(events);
    const record = pick(dice, await recordsOf(scene), ({ stateEvents }) => stateEvents.includes(name));
    return record && by(scene, 'PUT', `/${path}/${record.id}/${name}`, {});
  };

const isOpen = ({ state }: Json): boolean => state !== 'completed' && state !== 'canceled';
/** Nobody has left for it. */
const isWaiting = ({ state }: Json): boolean => ['created', 'assigned', 'accepted', 'rejected', 'sent'].includes(state);

/** The next event of a job on the road, by its state. */
const NEXT: Readonly<Record<string, string>> = {
  ...{ assigned: 'request', sent: 'accept', accepted: 'enroute', to_pickup: 'arrive', arrived_pickup: 'load_material', loaded: 'enroute' },
  ...{ to_dropoff: 'arrive', arrived_dropoff: 'unload_material', unloaded: 'complete_load', load_completed: 'enroute' },
};
const isDriven = (job: Json): boolean => job.driver && NEXT[job.state] !== undefined && isOpen(job.order);

/** Drives a job on, as far as to the end of its load or the middle of it. */
const haul: Step = async (scene, dice) => {
  const chosen = pick(dice, await jobsOf(scene), isDriven);
  let last: Sent | undefined;
  for (let left = dice.of([4, 7, 9, 9]); left > 0 && chosen; left--) {
    const { state } = (await jobsOf(scene)).find(({ id }) => id === chosen.id);
    const next = NEXT[state];
    if (!next) break;
    last = await by(scene, 'PUT', `/jobs/${chosen.id}/${next}`, {});
    if (last.status !== 200 || next === 'complete_load') break;
  }
  return last;
};

/** The day begins: everybody who drives has work, and some waits for a driver. */
export async function begin(scene: Scene, dice: Dice): Promise<void> {
  for (const project_id of scene.projects)
    await scene.at.admin.must('POST', scene.at.path('/orders'), { ...newOrder(scene, dice), project_id, driver_id: null, truck_count: 1 });
  for (const one of scene.drivers) {
    const order = { ...newOrder(scene, dice), load_at: new Date().toISOString(), driver_id: one.id, truck_count: 1 };
    const { id } = await scene.at.admin.must('POST', scene.at.path('/orders'), order);
    await scene.at.admin.must('PUT', scene.at.path(`/orders/${id}/accept`), {});
    for (const job of await scene.at.admin.must('GET', scene.at.path(`/orders/${id}/jobs`)))
      await scene.at.admin.must('PUT', scene.at.path(`/jobs/${job.id}/request`), {});
  }
}

/** What is done with the work, by what it is called. */
export const WORK: Readonly<Record<string, Step>> = {
  'make an order': (scene, dice) => somebody(scene, dice).http('POST', scene.at.path('/orders'), newOrder(scene, dice)),
  'change an order': onOrder((scene, dice, { id }) => by(scene, 'PATCH', `/orders/${id}`, dice.of(changesOfOrder(scene, dice))), isOpen),
  'copy an order': onOrder((scene, dice, { id }) =>
    somebody(scene, dice).http('POST', scene.at.path(`/orders/${id}/copy`), { date: dateOf(scene, dice.of([0, 1])), truck_count: 1 }),
  ),
  'accept an order': event('orders', ordersOf, ['accept', 'accept', 'start']),
  'end an order': event('orders', ordersOf, ['complete', 'cancel', 'hold']),
  'change a job': onJob((scene, dice, { id }) => by(scene, 'PATCH', `/jobs/${id}`, dice.of(changesOfJob(scene, dice))), isOpen),
  'assign a driver': onJob((scene, dice, { id }) => by(scene, 'PATCH', `/jobs/${id}`, { driver_id: driver(scene, dice) }), isWaiting),
  'take a driver off': onJob(
    (scene, _dice, { id }) => by(scene, 'PUT', `/jobs/${id}/unassign`, {}),
    (job) => isWaiting(job) && job.driver,
  ),
  'pass a job on': onJob((scene, _dice, { id }) => by(scene, 'PUT', `/jobs/${id}/assign_vendor`, { vendor_id: scene.vendor }), isWaiting),
  'send a job': event('jobs', jobsOf, ['request']),
  'cancel a job': event('jobs', jobsOf, ['cancel']),
  'complete a job': event('jobs', jobsOf, ['complete']),
  'hand a job over': onJob(
    async (scene, dice, { id }) => {
      const asked = { id, driver: driver(scene, dice) };
      const body = await scene.at.admin.gql('mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { id } }', asked);
      return { status: graphqlStatus(body), body };
    },
    (job) => job.driver && !isWaiting(job) && isOpen(job) && job.state !== 'ended',
  ),
  'haul a load': haul,
  'add a load': onJob((scene, dice, { id }) => somebody(scene, dice).http('POST', `/v1/jobs/${id}/loads`, {})),
  'change the stops of a load': onLoad(
    (scene, dice, { id }) => by(scene, 'PATCH', `/v1/loads/${id}`, { waypoints: stops(scene, dice) }),
    ({ state }) => state === 'created',
  ),
  'delete a load': onLoad(
    (scene, _dice, { id }) => by(scene, 'DELETE', `/v1/loads/${id}`),
    ({ state }) => state === 'created',
  ),
  'complete a load': onLoad(
    (scene, _dice, { id }) => by(scene, 'PUT', `/loads/${id}/complete`, {}),
    ({ state }) => !['created', 'completed', 'canceled'].includes(state),
  ),
};

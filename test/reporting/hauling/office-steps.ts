import { graphqlStatus } from '../../helpers/graphql-status.ts';
import { orderInput } from '../../helpers/tenant.ts';
import { by, type Dice, dateOf, dayAfter, type Json, jobsOf, loadsOf, ordersOf, pick, type Scene, type Sent } from './scene.ts';

/** Does something, which may be refused. */
export type Step = (scene: Scene, dice: Dice) => Promise<Sent | undefined>;

let numbers = 0;
export const nextNumber = (): number => ++numbers;

/** Throws if an event was possible that the record did not offer, or the other way round. */
function sameAsOffered(record: Json, event: string, sent: Sent): void {
  const offered = record.stateEvents.includes(event);
  if ((sent.status === 200 && !offered) || (sent.status === 409 && offered))
    throw new Error(`${event} in ${record.state} was ${offered ? '' : 'not '}offered: ${sent.status} ${JSON.stringify(sent.body)}`);
}

/**
 * Fires an event of a record, and compares what becomes of it with what the record offers. In one of four times nobody waits until the workers are done,
 * who may move the record meanwhile: then nothing is compared.
 * @param choose reads records, and chooses one of them
 */
export async function fire(
  scene: Scene,
  dice: Dice,
  choose: () => Promise<Json | undefined>,
  send: (record: Json) => Promise<{ event: string; sent: Sent } | undefined>,
): Promise<Sent | undefined> {
  const isQuiet = dice.chance(0.75);
  if (isQuiet) await scene.app.settled();
  const record = await choose();
  const done = record && (await send(record));
  // What is reported late of a job that ended is noted, although it moves it no more.
  if (done && isQuiet && record.state !== 'ended') sameAsOffered(record, done.event, done.sent);
  return done?.sent;
}

/** Fires an event of a job or an order, in most cases one that it offers. */
const event =
  (path: string, recordsOf: (scene: Scene) => Promise<Json[]>, events: readonly string[]): Step =>
  (scene, dice) => {
    const name = dice.of(events);
    return fire(
      scene,
      dice,
      async () => pick(dice, await recordsOf(scene), ({ stateEvents }) => stateEvents.includes(name)),
      async ({ id }) => ({ event: name, sent: await by(scene, 'PUT', `/${path}/${id}/${name}`, {}) }),
    );
  };

const stops = (scene: Scene, dice: Dice): Json[] => [
  { type: 'pickup', site_id: dice.of(scene.pits), ordinality: 0 },
  { type: 'drop_off', site_id: dice.of(scene.bridges), ordinality: 1 },
];
const someDay = (scene: Scene, dice: Dice): string => dayAfter(scene, dice.of([0, 0, 0, 1, -1]));

/** What a new order says. */
export const newOrder = (scene: Scene, dice: Dice): Json =>
  orderInput(scene.at, {
    ...{ load_at: someDay(scene, dice), truck_count: 1 + dice.below(2), loads_per_truck: 1 + dice.below(3), truck_delay: dice.of([0, 10]) },
    ...{ waypoints: stops(scene, dice), recurring_loads: dice.chance(0.4), geofence_delay_seconds: 60, unit_of_measure: 'Ton' },
    ...{ material_id: dice.of([...scene.materials, null]), project_id: dice.of([...scene.projects, null]) },
    ...{ quantity: dice.of([null, 40, 120.5]), load_unit_of_measure: 'Ton', job_unit_of_measure: 'Ton' },
    ...(dice.chance(0.6) ? { driver_id: dice.of(scene.drivers).id } : {}),
    ...(dice.chance(0.4) ? { equipment_id: dice.of(scene.trucks).id } : {}),
    ...(dice.chance(0.3) ? { external_id: `E-${nextNumber()}` } : {}),
  });

/** What somebody changes of an order. */
const changesOfOrder = (scene: Scene, dice: Dice): readonly Json[] => [
  { notes: `note ${nextNumber()}` },
  { quantity: dice.of([null, 10, 33.3]) },
  { truck_count: 1 + dice.below(3) },
  { load_at: someDay(scene, dice), job_start_at: dice.of([null, someDay(scene, dice)]) },
  { material_id: dice.of([...scene.materials, null]) },
  { project_id: dice.of([...scene.projects, null]) },
  { waypoints: stops(scene, dice) },
  { external_id: dice.of([null, `E-${nextNumber()}`]) },
  { equipment_id: dice.of([...scene.trucks.map(({ id }) => id), null]) },
  { recurring_loads: dice.chance(0.5), loads_per_truck: 1 + dice.below(3) },
];

const changesOfJob = (scene: Scene, dice: Dice): readonly Json[] => [
  { notes: `note ${nextNumber()}` },
  { quantity: dice.of([null, 12.5, 20]) },
  { job_start_at: someDay(scene, dice) },
  { material_id: dice.of([...scene.materials, null]) },
  { equipment_id: dice.of([...scene.trucks.map(({ id }) => id), null]) },
  { recurring_loads: dice.chance(0.5) },
  { priority: dice.below(4) },
  { waypoints: stops(scene, dice) },
  { additional_equipment_ids: dice.of([[], [dice.of(scene.trucks).id]]) },
];

const onJob =
  (act: (scene: Scene, dice: Dice, job: Json) => Promise<Sent>, fit?: (job: Json) => boolean): Step =>
  async (scene, dice) => {
    const job = pick(dice, await jobsOf(scene), fit);
    return job && act(scene, dice, job);
  };
const onLoad =
  (act: (scene: Scene, dice: Dice, load: Json) => Promise<Sent>, fit?: (load: Json) => boolean): Step =>
  async (scene, dice) => {
    const load = pick(dice, await loadsOf(scene), fit);
    return load && act(scene, dice, load);
  };
const onOrder =
  (act: (scene: Scene, dice: Dice, order: Json) => Promise<Sent>, fit?: (order: Json) => boolean): Step =>
  async (scene, dice) => {
    const order = pick(dice, await ordersOf(scene), fit);
    return order && act(scene, dice, order);
  };
const isOpen = ({ state }: Json): boolean => state !== 'completed' && state !== 'canceled';
/** Nobody has left for it. */
const isWaiting = ({ state }: Json): boolean => ['created', 'assigned', 'accepted', 'rejected', 'sent'].includes(state);

/** Two jobs change their drivers, by one bulk action. */
const swap: Step = async (scene, dice) => {
  const jobs = (await jobsOf(scene)).filter((job) => isWaiting(job) && job.driver);
  if (jobs.length < 2) return undefined;
  const [one, other] = [dice.of(jobs), dice.of(jobs)];
  const driver_assignments = [
    { job_id: one.id, driver_id: other.driver.id },
    { job_id: other.id, driver_id: one.driver.id },
  ];
  const sent = await by(scene, 'PUT', '/jobs/bulk_assign_drivers', {
    driver_assignments: driver_assignments.slice(0, one === other ? 1 : 2),
  });
  if (dice.chance(0.7)) await scene.app.settled();
  return sent;
};

const bulk =
  (path: string, body: (dice: Dice, jobs: readonly Json[], scene: Scene) => object): Step =>
  async (scene, dice) => {
    const jobs = (await jobsOf(scene)).filter(() => dice.chance(0.3));
    if (jobs.length === 0) return undefined;
    const sent = await by(scene, 'PUT', `/jobs/${path}`, body(dice, jobs, scene));
    if (dice.chance(0.7)) await scene.app.settled();
    return sent;
  };
const idsOf = (jobs: readonly Json[]) => ({ job_ids: jobs.map(({ id }) => id) });

/** Orders of another system: new ones, and such as were sent before, changed or canceled. */
const importOrders: Step = async (scene, dice) => {
  const known = scene.imported.orders;
  const site = (waypoint: string, name: string) => ({ waypoint, name });
  const order: Json =
    known.length > 0 && dice.chance(0.5)
      ? {
          ...dice.of(known),
          ...(dice.chance(0.5) ? { quantity: dice.of([5, 50]) } : {}),
          ...(dice.chance(0.3) ? { state: 'canceled' } : {}),
        }
      : {
          ...{ external_id: `I-${nextNumber()}`, load_at: someDay(scene, dice), customer: { external_id: 'C-1', name: 'Customer' } },
          ...{ truck_count: 1 + dice.below(2), loads_per_truck: 1, quantity: 20, unit_of_measure: 'Ton', service: { name: 'Haulage' } },
          sites: [site('pickup', dice.of(['North pit', 'Other pit'])), site('drop_off', 'Long bridge')],
        };
  known.push(order);
  const sent = await by(scene, 'POST', '/ingest/orders', { orders: [order] });
  if (dice.chance(0.6)) await scene.app.settled();
  return sent;
};

/** Duplicates become one record, for a while. */
const merge: Step = async (scene, dice) => {
  const [kind, ids] = dice.of([
    ['sites', scene.pits],
    ['sites', scene.bridges],
    ['equipment', scene.trucks.map(({ id }) => id)],
    ['materials', scene.materials.slice(1)],
    ['users', scene.drivers.map(({ id }) => id)],
  ] as const);
  const [kept, other] = [dice.of(ids), dice.of(ids)];
  if (kept === other) return undefined;
  const sent = await by(scene, 'PUT', `/${kind}/${kept}/merge`, { other_ids: [other] });
  if (sent.status !== 200) return sent;
  scene.merges.push(sent.body.data.id);
  if (kind === 'sites') for (const id of [kept, other]) scene.merged.add(id);
  return sent;
};
const undoMerge: Step = async (scene) => {
  const id = scene.merges.pop();
  return id === undefined ? undefined : by(scene, 'PUT', `/merges/${id}/undo`, {});
};

const assigned = (scene: Scene, dice: Dice): Json => ({ driver_id: dice.of(scene.drivers).id });

/** What an office does, by what it is called. */
export const OFFICE: Readonly<Record<string, Step>> = {
  'make an order': (scene, dice) => by(scene, 'POST', '/orders', newOrder(scene, dice)),
  'change an order': onOrder((scene, dice, { id }) => by(scene, 'PATCH', `/orders/${id}`, dice.of(changesOfOrder(scene, dice))), isOpen),
  'copy an order': onOrder((scene, dice, { id }) =>
    by(scene, 'POST', `/orders/${id}/copy`, {
      date: dateOf(scene, dayAfter(scene, dice.of([0, 1]))),
      truck_count: 1 + dice.below(2),
      include_assignee: dice.chance(0.6),
    }),
  ),
  'accept an order': event('orders', ordersOf, ['accept', 'accept', 'start']),
  'hold an order': event('orders', ordersOf, ['hold', 'weather_hold', 'request', 'reject']),
  'end an order': event('orders', ordersOf, ['complete', 'complete', 'cancel']),
  'add a truck': onOrder((scene, _dice, { id }) => by(scene, 'POST', `/orders/${id}/jobs`, {}), isOpen),
  'copy a job': onJob((scene, _dice, { id }) => by(scene, 'POST', `/jobs/${id}/copy`, {})),
  'delete a job': onJob(
    (scene, _dice, { id }) => by(scene, 'DELETE', `/v1/jobs/${id}`),
    ({ deletable }) => deletable,
  ),
  'change a job': onJob((scene, dice, { id }) => by(scene, 'PATCH', `/jobs/${id}`, dice.of(changesOfJob(scene, dice))), isOpen),
  'assign a driver': onJob((scene, dice, { id }) => by(scene, 'PATCH', `/jobs/${id}`, assigned(scene, dice)), isWaiting),
  'take a driver off': onJob(
    (scene, dice, job) =>
      dice.chance(0.5) ? by(scene, 'PUT', `/jobs/${job.id}/unassign`, {}) : by(scene, 'PATCH', `/jobs/${job.id}`, { driver_id: null }),
    (job) => isWaiting(job) && job.driver,
  ),
  'swap drivers': swap,
  'send a job': event('jobs', jobsOf, ['request']),
  'send a day': async (scene, dice) => by(scene, 'PUT', '/jobs/bulk_send_day', { date: dateOf(scene, dayAfter(scene, dice.of([0, 1]))) }),
  'send jobs': bulk('bulk_send', (_dice, jobs) => idsOf(jobs)),
  'unassign jobs': bulk('bulk_unassign', (_dice, jobs) => idsOf(jobs.slice(0, 1))),
  'cancel jobs': bulk('bulk_cancel', (_dice, jobs) => idsOf(jobs.slice(0, 1))),
  'cancel a job': event('jobs', jobsOf, ['cancel']),
  'review a job': event('jobs', jobsOf, ['review', 'flag', 'remove_flag', 'sign_off', 'sign_off', 'remove_signoff']),
  'hand a job over': onJob(
    async ({ at, drivers }, dice, { id }) => {
      const asked = { id, driver: dice.of(drivers).id };
      const body = await at.admin.gql('mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { id } }', asked);
      return { status: graphqlStatus(body), body };
    },
    ({ state, driver }) => driver && !isWaiting({ state }) && !['completed', 'ended', 'canceled'].includes(state),
  ),
  'add a load': onJob((scene, dice, { id }) =>
    by(scene, 'POST', `/v1/jobs/${id}/loads`, dice.of([{}, { quantity: 9, unit_of_measure: 'Ton' }])),
  ),
  'delete a load': onLoad(
    (scene, _dice, { id }) => by(scene, 'DELETE', `/v1/loads/${id}`),
    ({ state }) => state === 'created',
  ),
  'report a load': onLoad((scene, dice, { id }) =>
    by(
      scene,
      'PATCH',
      `/v1/loads/${id}`,
      dice.of([{ quantity: dice.of([null, 7.25, 20]), unit_of_measure: 'Ton' }, { material_id: dice.of([...scene.materials, null]) }]),
    ),
  ),
  'complete a load': onLoad(
    (scene, _dice, { id }) => by(scene, 'PUT', `/loads/${id}/complete`, {}),
    ({ state }) => !['created', 'completed', 'canceled'].includes(state),
  ),
  'import orders': importOrders,
  merge,
  'undo a merge': undoMerge,
};

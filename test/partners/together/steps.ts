import { sendForm } from '../../files/form.ts';
import { type Dice, isFuzzing } from '../../helpers/properties.ts';
import { orderInput } from '../../helpers/tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';
import { anyRow, type Step, sideOf, vendorsOf } from './acting.ts';
import { type Json, keptWord, note, rowsOf, type Side, type World, word, write } from './scene.ts';
import { BOOKS } from './steps-of-books.ts';
import { OFFICES } from './steps-of-offices.ts';

/** A job, and a company that has a part in it: its owner, or a vendor along its chain, the last one most of the time. */
async function jobAndSide(world: World, dice: Dice): Promise<{ job: Json; side: Side } | undefined> {
  const job = await anyRow(world, dice, 'job');
  if (!job) return undefined;
  const links = await rowsOf(
    world.app,
    'select vendor_company_id from job_assignment where job_id = ? and vendor_company_id is not null order by link',
    [job.id],
  );
  const parts = [job.company_id, ...links.map(({ vendor_company_id }) => vendor_company_id)];
  const side = sideOf(world, dice.chance(0.7) ? parts.at(-1) : dice.of(parts)) ?? sideOf(world, job.company_id);
  return side && { job, side };
}

const onJob =
  (does: (world: World, dice: Dice, job: Json, side: Side) => Promise<unknown>): Step =>
  async (world, dice) => {
    const found = await jobAndSide(world, dice);
    return found ? does(world, dice, found.job, found.side) : false;
  };

const assign: Step = onJob(async (world, dice, job, side) => {
  const vendors = await vendorsOf(world, side);
  if (vendors.length === 0) return false;
  const { id } = dice.of(vendors);
  if (dice.chance(0.3))
    return write(world, side, 'POST', side.path(`/jobs/${job.id}/job_assignments`), {
      vendor_account_id: id,
      ...{ rate_value: 1 + dice.below(9), rate_type: 'RatePerTon' },
    });
  await write(world, side, 'PUT', side.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: id });
  return dice.chance(0.7) && write(world, side, 'PUT', side.path(`/jobs/${job.id}/request`), {});
});

/** Fires one of the events that are possible now, or some other one. */
const fire: Step = onJob(async (world, dice, job, side) => {
  const { body } = await side.admin.http('GET', side.path(`/jobs/${job.id}`));
  const possible: string[] = body.data?.state_events ?? [];
  const names = {
    accept: 1,
    reject: 1,
    enroute: 1,
    arrive: 1,
    load_material: 1,
    unload_material: 1,
    complete_load: 1,
    complete: 1,
    request: 1,
  };
  const event = possible.length > 0 && dice.chance(0.9) ? dice.of(possible) : dice.of(Object.keys(names));
  return write(
    world,
    side,
    'PUT',
    side.path(`/jobs/${job.id}/${event}`),
    event === 'reject' ? { reject_reason: word(world, 'passed') } : {},
  );
});

const DRIVE = ['accept', 'enroute', 'load_material', 'enroute', 'unload_material', 'complete'];
/** A whole job at once, so that there is something to bill. */
const haul: Step = async (world, dice) => {
  const job = await anyRow(
    world,
    dice,
    'job',
    `state in ('assigned', 'sent', 'accepted') and exists (select from job_assignment a where a.job_id = t.id)`,
  );
  const last =
    job &&
    (await rowsOf(world.app, 'select vendor_company_id from job_assignment where job_id = ? order by link desc limit 1', [job.id]))[0];
  const side = last && sideOf(world, last.vendor_company_id);
  if (!side) return false;
  await write(world, side, 'PATCH', `/v1/jobs/${job.id}`, { driver_id: side.driver.id });
  await write(world, side, 'PUT', `/v1/jobs/${job.id}/request`, {});
  for (const event of DRIVE) await write(world, side, 'PUT', `/v1/jobs/${job.id}/${event}`, {});
  const [load] = await rowsOf(world.app, 'select id from load where job_id = ? order by ordinality', [job.id]);
  const owner = sideOf(world, job.company_id)!;
  return load && write(world, owner, 'POST', '/v1/tickets', ticketOf(world, dice, load));
};
const ticketOf = (world: World, dice: Dice, load: Json) => ({
  ...{ load_id: load.id, ticket_number: `T-${++world.number}`, quantity: dice.of(['10', '21.4', '23.205']), unit_of_measure: 'Ton' },
});

const changeJob: Step = onJob(async (world, dice, job, side) => {
  const notes = word(world, 'passed');
  const trucks = await rowsOf(world.app, 'select id from equipment order by created_at, id');
  const drivers = await rowsOf(world.app, `select id from app_user where 'driver' = any(roles) order by created_at, id`);
  const change = dice.of([
    { notes },
    { notes },
    { driver_id: dice.of(drivers).id },
    { driver_id: dice.chance(0.5) ? side.driver.id : null },
    { equipment_id: dice.of(trucks).id },
    { vendor_rate_value: 1 + dice.below(90) / 10, vendor_rate_type: 'RatePerTon' },
    { quantity: 1 + dice.below(50) },
    { job_start_at: `2026-11-2${dice.below(9)}T${10 + dice.below(9)}:00:00.000Z` },
  ]);
  const answer = await write(world, side, 'PATCH', side.path(`/jobs/${job.id}`), change);
  if (answer.status === 200 && 'notes' in change) world.passed.set(notes, `Job ${job.id}`);
  return answer;
});

const changeOrder: Step = async (world, dice) => {
  const order = await anyRow(world, dice, 'orders');
  const side = order && sideOf(world, order.company_id);
  if (!side) return false;
  const notes = word(world, 'passed');
  const stop = (type: string, ordinality: number) => ({ type, site_id: dice.of<Json>(side.sites).id, ordinality });
  const change = dice.of<Json>([
    { notes },
    { notes },
    { external_id: keptWord(world, side) },
    { internal_notes: keptWord(world, side) },
    { waypoints: [stop('pickup', 0), stop('drop_off', 1)] },
    { quantity: 1 + dice.below(500) },
    { truck_count: 1 + dice.below(4) },
    { load_at: `2026-11-2${dice.below(9)}T${10 + dice.below(9)}:00:00.000Z` },
    { customer_rate_value: 1 + dice.below(90) / 10, customer_rate_type: 'RatePerTon' },
  ]);
  const answer = await write(world, side, 'PATCH', side.path(`/orders/${order.id}`), change);
  if (answer.status === 200 && 'notes' in change) world.passed.set(notes, `Order ${order.id}`);
  return answer;
};

const fireOrder: Step = async (world, dice) => {
  const order = await anyRow(world, dice, 'orders', dice.chance(0.8) ? `state not in ('completed', 'canceled')` : 'true');
  const side = order && sideOf(world, order.company_id);
  const events = [
    'accept',
    'start',
    'hold',
    'weather_hold',
    'accept',
    'start',
    dice.chance(0.3) ? 'cancel' : 'start',
    dice.chance(0.3) ? 'complete' : 'accept',
  ];
  return side ? write(world, side, 'PUT', side.path(`/orders/${order.id}/${dice.of(events)}`), {}) : false;
};

const makeOrder: Step = async (world, dice) => {
  const side = dice.of([world.contractor, world.contractor, world.hauler]);
  const places = await rowsOf(world.app, 'select id, company_id from site where discarded_at is null order by created_at, id');
  const site = () => (dice.chance(0.2) ? dice.of(places).id : dice.of(side.sites).id);
  const vendors = await vendorsOf(world, side);
  const rates = { customer_rate_value: 8, customer_rate_type: 'RatePerTon', vendor_rate_value: 4, vendor_rate_type: 'RatePerTon' };
  const answer = await write(
    world,
    side,
    'POST',
    side.path('/orders'),
    orderInput(side, {
      ...{ truck_count: 1 + dice.below(2), loads_per_truck: 1, material_id: side.material.id, ...rates },
      waypoints: [
        { type: 'pickup', site_id: site(), ordinality: 0 },
        { type: 'drop_off', site_id: site(), ordinality: 1 },
      ],
      ...(dice.chance(0.4) && vendors.length > 0 ? { vendor_id: dice.of(vendors).id } : {}),
      external_id: keptWord(world, side),
      internal_notes: keptWord(world, side),
    }),
  );
  return answer.status === 201 && write(world, side, 'PUT', side.path(`/orders/${answer.body.data.id}/accept`), {});
};

const attach: Step = onJob(async (world, dice, job, side) => {
  const loads = await rowsOf(world.app, 'select id from load where job_id = ? order by ordinality', [job.id]);
  const path =
    dice.chance(0.5) && loads.length > 0 ? `/v1/loads/${dice.of(loads).id}/file_attachments` : `/v1/jobs/${job.id}/file_attachments`;
  const answer = await sendForm(world.app, 'POST', path, [['file', png(), `${side.name}.png`]], side.admin.token);
  note(world, `${side.name} POST ${path}`, answer);
  return answer;
});

const changeLoad: Step = async (world, dice) => {
  const load = await anyRow(world, dice, 'load');
  const side = load && dice.of(world.sides);
  if (!side) return false;
  const notes = word(world, 'passed');
  const answer = await write(
    world,
    side,
    'PATCH',
    `/v1/loads/${load.id}`,
    dice.chance(0.5) ? { notes } : { quantity: 1 + dice.below(30), unit_of_measure: 'Ton' },
  );
  if (answer.status === 200 && answer.body.data.notes === notes) world.passed.set(notes, `Load ${load.id}`);
  return answer;
};

/** Two people do opposite things with one job: at once in `npm run fuzz`, and one after the other where a run must be the same as the one before. */
const together: Step = onJob(async (world, dice, job, side) => {
  const owner = sideOf(world, job.company_id)!;
  const vendors = await vendorsOf(world, owner);
  const does = (by: Side, event: string, body = {}) => write(world, by, 'PUT', by.path(`/jobs/${job.id}/${event}`), body);
  const [first, second] = [dice.of(['accept', 'reject', 'unassign', 'request']), dice.of(['unassign', 'cancel', 'request'])];
  const vendor = vendors.length > 0 ? dice.of(vendors).id : null;
  const acts = [
    () => does(side, first),
    () => does(owner, second),
    ...(vendor ? [() => does(owner, 'assign_vendor', { vendor_id: vendor })] : []),
  ];
  if (isFuzzing) return Promise.all(acts.map((act) => act()));
  const answers = [];
  for (const act of acts) answers.push(await act());
  return answers;
});

const bulk: Step = async (world, dice) => {
  const side = dice.of([world.contractor, world.hauler]);
  const jobs = await rowsOf(world.app, 'select id from job order by created_at, id');
  const vendors = await vendorsOf(world, side);
  if (jobs.length === 0 || vendors.length === 0) return false;
  const job_ids = [dice.of(jobs).id, dice.of(jobs).id];
  return dice.chance(0.5)
    ? write(world, side, 'PUT', side.path('/jobs/bulk_unassign'), { job_ids })
    : write(world, side, 'PUT', side.path('/jobs/bulk_assign'), { job_ids, vendor_id: dice.of(vendors).id });
};

/** What people and programs do, by what it is called. */
export const STEPS: Readonly<Record<string, Step>> = {
  'make an order': makeOrder,
  'change an order': changeOrder,
  'fire an event of an order': fireOrder,
  'pass a job on': assign,
  'take a job back': onJob((world, _, job, side) => write(world, side, 'PUT', side.path(`/jobs/${job.id}/unassign`), {})),
  'fire an event of a job': fire,
  'change a job': changeJob,
  'change a load': changeLoad,
  'haul a job': haul,
  'cancel a job': onJob((world, _, job, side) => write(world, side, 'PUT', side.path(`/jobs/${job.id}/cancel`), {})),
  'attach a file': attach,
  'delete a file': async (world, dice) => {
    const file = await anyRow(world, dice, 'file_attachment', `file_attachable_type in ('Job', 'Load')`);
    const side = file && sideOf(world, file.uploaded_by_company_id);
    return side ? write(world, side, 'DELETE', `/v1/file_attachments/${file.id}`) : false;
  },
  'two at once': together,
  'many at once': bulk,
  ...OFFICES,
  ...BOOKS,
};
export const NAMES = Object.keys(STEPS);
/** What is done most often, so that much of it is done. */
export const OFTEN = [
  ...['pass a job on', 'pass a job on', 'take a job back', 'fire an event of a job', 'haul a job', 'share a record', 'end a share'],
  ...['change a share', 'change a job', 'attach a file', 'bill a job', 'answer a bill'],
] as const;

import { nextNumber, type Step } from './office-steps.ts';
import { by, type Dice, daysOf, instant, type Json, jobsOf, loadsOf, pick, type Scene, type Sent, ticketsOf } from './scene.ts';

const QUANTITIES = [null, 0, 5, 12.3456, 21.4, 40] as const;

const onTicket =
  (act: (scene: Scene, dice: Dice, ticket: Json) => Promise<Sent>, fit?: (ticket: Json) => boolean): Step =>
  async (scene, dice) => {
    const ticket = pick(dice, await ticketsOf(scene), fit);
    return ticket && act(scene, dice, ticket);
  };
const onDay =
  (act: (scene: Scene, dice: Dice, day: Json) => Promise<Sent>, fit?: (day: Json) => boolean): Step =>
  async (scene, dice) => {
    const day = pick(dice, await daysOf(scene), fit);
    return day && act(scene, dice, day);
  };
const wish = (dice: Dice): object =>
  dice.of([{}, {}, { approval_type: 'foreman' }, { approval_type: 'driver' }, { approval_type: 'biller' }]);

/** A ticket of a load without one, of a job, or of nothing yet. */
const make: Step = async (scene, dice) => {
  const load = pick(dice, await loadsOf(scene), ({ ticket, state }) => !ticket && state !== 'canceled');
  const number = nextNumber();
  const of = dice.of<Json>([{ load_id: load?.id }, { load_id: load?.id }, { load_id: load?.id }, { job_id: load?.job.id }, {}]);
  return by(scene, 'POST', '/v1/tickets', {
    ...of,
    ...{ ticket_number: dice.chance(0.9) ? `N-${number}` : null, quantity: dice.of(QUANTITIES), unit_of_measure: 'Ton' },
    ...(dice.chance(0.5) ? { service_date: instant(scene, dice.below(140)) } : {}),
    ...(dice.chance(0.3) ? { material_id: dice.of(scene.materials) } : {}),
  });
};

const move: Step = async (scene, dice) => {
  const ticket = pick(dice, await ticketsOf(scene), ({ state }) => state !== 'voided');
  const load = pick(dice, await loadsOf(scene), (one) => !one.ticket && one.state !== 'canceled');
  return ticket && by(scene, 'PATCH', `/v1/tickets/${ticket.id}`, { load_id: dice.chance(0.3) ? null : (load?.id ?? null) });
};

/** Tickets of the scale, of which some are sent again, as they were or with another weight. */
const importTickets: Step = async (scene, dice) => {
  const { orders, tickets } = scene.imported;
  const job = pick(dice, await jobsOf(scene));
  const order =
    dice.chance(0.7) || orders.length === 0
      ? { platform_order_id: job?.order.id }
      : { order_external_id: dice.of<Json>(orders).external_id };
  const ticket: Json =
    tickets.length > 0 && dice.chance(0.4)
      ? { ...dice.of(tickets), ...(dice.chance(0.5) ? { quantity: dice.of([5, 21.4]) } : {}) }
      : {
          ...{ ticket_number: `S-${nextNumber()}`, service_date: instant(scene, dice.below(140)), quantity: dice.of([10, 21.4]) },
          ...{ unit_of_measure: 'tons', truck_id: dice.of(scene.trucks).external },
          ...order,
        };
  tickets.push(ticket);
  const sent = await by(scene, 'POST', '/ingest/tickets', { tickets: [ticket] });
  if (dice.chance(0.6)) await scene.app.settled();
  return sent;
};

const onWork = (kind: 'loads' | 'jobs', event: 'approve' | 'unapprove'): Step => {
  const fit = ({ state, approvable, unapprovable }: Json) =>
    event === 'approve' ? (approvable ?? ['completed', 'ended'].includes(state)) : (unapprovable ?? true);
  return async (scene, dice) => {
    const record = pick(dice, await (kind === 'loads' ? loadsOf : jobsOf)(scene), fit);
    return record && by(scene, 'PUT', `/${kind}/${record.id}/${event}`, wish(dice));
  };
};

/** Two people, or a person and a telephone, do something with one job at the same moment: each is done or refused. */
const together: Step = async (scene, dice) => {
  const job = pick(dice, await jobsOf(scene), ({ driver, state }) => driver && state !== 'canceled' && state !== 'completed');
  if (!job) return undefined;
  const loads = (await loadsOf(scene)).filter((load) => load.job.id === job.id);
  const driver = scene.drivers.find(({ id }) => id === job.driver?.id);
  const [event, other] = [
    dice.of<string>(job.stateEvents.length > 0 ? job.stateEvents : ['cancel']),
    dice.of(['cancel', 'complete', 'enroute']),
  ];
  const ways: (() => Promise<Sent>)[] = [
    () => by(scene, 'PUT', `/jobs/${job.id}/${event}`, {}),
    () => by(scene, 'PUT', `/jobs/${job.id}/${other}`, {}),
    () =>
      by(scene, 'PATCH', `/jobs/${job.id}`, dice.of<Json>([{ driver_id: dice.of(scene.drivers).id }, { quantity: 3 }, { notes: 'both' }])),
    () => by(scene, 'POST', `/v1/jobs/${job.id}/loads`, {}),
    () => by(scene, 'PUT', `/orders/${job.order.id}/${dice.of(['complete', 'hold', 'start', 'cancel'])}`, {}),
    () => by(scene, 'PATCH', `/orders/${job.order.id}`, { truck_count: 1 + dice.below(3) }),
  ];
  if (loads.length > 0) {
    const { id } = dice.of<Json>(loads);
    ways.push(() =>
      by(scene, 'POST', '/v1/tickets', { load_id: id, ticket_number: `B-${nextNumber()}`, quantity: 8, unit_of_measure: 'Ton' }),
    );
    ways.push(() => by(scene, 'PUT', `/loads/${id}/complete`, {}));
  }
  if (driver) {
    ways.push(() => driver.http('PUT', '/v1/users/me/driver_day/off_duty', {}));
    ways.push(() => driver.http('PUT', `/v1/jobs/${job.id}/${event}`, {}));
  }
  const all = await Promise.all([dice.of(ways), dice.of(ways), dice.of(ways)].map((way) => way()));
  return all.find(({ status }) => status >= 500) ?? all.find(({ status }) => status < 300) ?? all[0];
};

/** What is done with the proof of work, by what it is called. */
export const PROOF: Readonly<Record<string, Step>> = {
  'make a ticket': make,
  'change a ticket': onTicket(
    (scene, dice, { id }) =>
      by(
        scene,
        'PATCH',
        `/v1/tickets/${id}`,
        dice.of<Json>([
          { quantity: dice.of(QUANTITIES) },
          { flagged: dice.chance(0.5) },
          { material_id: dice.of([...scene.materials, null]) },
          { service_date: instant(scene, dice.below(140)) },
        ]),
      ),
    ({ state }) => state === 'new' || state === 'pending',
  ),
  'move a ticket': move,
  'approve a ticket': onTicket((scene, _dice, { id }) => by(scene, 'PUT', `/v1/tickets/${id}/approve`, {})),
  'void a ticket': onTicket((scene, _dice, { id }) => by(scene, 'PUT', `/v1/tickets/${id}/void`, {})),
  'delete a ticket': onTicket((scene, _dice, { id }) => by(scene, 'DELETE', `/v1/tickets/${id}`)),
  'import tickets': importTickets,
  'approve a load': onWork('loads', 'approve'),
  'take back the approval of a load': onWork('loads', 'unapprove'),
  'approve a job': onWork('jobs', 'approve'),
  'take back the approval of a job': onWork('jobs', 'unapprove'),
  'correct a day': onDay(
    (scene, dice, { id, startedShiftAt }) => {
      const start = Date.parse(startedShiftAt);
      const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
      const input = dice.of<Json>([
        { adjusted_started_shift_at: at(-10), adjusted_ended_shift_at: at(90 + dice.below(30)) },
        { adjusted_started_shift_at: null, adjusted_ended_shift_at: null },
        { shift_adjustment_minutes: dice.of([-15, 20]), shift_adjustment_type: 'lunch' },
        { external_id: `D-${nextNumber()}` },
      ]);
      return by(scene, 'PATCH', `/v1/driver_days/${id}`, input);
    },
    ({ editable }) => editable,
  ),
  'approve a day': onDay(
    (scene, dice, { id }) => by(scene, 'PUT', `/driver_days/${id}/approve`, wish(dice)),
    ({ approvable, endedShiftAt }) => approvable ?? endedShiftAt,
  ),
  'take back the approval of a day': onDay(
    (scene, dice, { id }) => by(scene, 'PUT', `/driver_days/${id}/unapprove`, wish(dice)),
    ({ unapprovable }) => unapprovable,
  ),
  'approve days': async (scene, dice) => {
    const ids = (await daysOf(scene)).map(({ id }) => id);
    if (ids.length === 0) return undefined;
    const sent = await by(scene, 'PUT', '/driver_days/bulk_approve', { driver_day_ids: ids });
    if (dice.chance(0.7)) await scene.app.settled();
    return sent;
  },
  'at once': together,
};

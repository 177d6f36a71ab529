import { expect } from '@jest/globals';
import { checkInvariants } from '../../../src/reporting/invariants/check-invariants.ts';
import { connectedTo } from '../../helpers/database.ts';
import type { Json, Scene } from './scene.ts';
import { ask, KINDS, type KindName, NAMES, pages, readAlone, sorted, type Truth } from './truth.ts';

const HAULING = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'];
const FINISHED = ['completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid'];
const STAMPS = ['arrivedPickupAt', 'loadedAt', 'arrivedDropoffAt', 'unloadedAt', 'loadCompletedAt'];
const isInOrder = (times: readonly string[]): boolean => times.every((time, i) => i === 0 || times[i - 1]! <= time);

/** No invoices are made here, so that nothing is billed. */
const OF_BILLS = new Set(['delivered_is_billed']);

/** Looks whether the states of orders, jobs, loads, tickets and days fit together, as DOMAIN 1 promises it. @param dayOf the day of each job */
export async function comparePromises(scene: Scene, truth: Truth, dayOf: ReadonlyMap<string, Json>): Promise<void> {
  const broken: unknown[] = [];
  const holds = (is: unknown, ...what: unknown[]): void => void (is || broken.push(what));
  const loadsOf = Map.groupBy(truth.load.values(), ({ job }) => job.id);
  const jobsOf = Map.groupBy(truth.job.values(), ({ order }) => order.id);
  for (const job of truth.job.values()) {
    const loads = loadsOf.get(job.id) ?? [];
    const active = loads.filter(({ state }) => HAULING.includes(state) || state === 'paused');
    const states = loads.map(({ loadId, state }) => `${loadId} ${state}`);
    holds(active.length <= 1, 'one load is under way', job.jobId, states);
    if (HAULING.includes(job.state)) {
      holds(active.length === 1, 'a job on the road has a load', job.jobId, job.state, states);
      const [load] = active;
      holds(
        !load || (job.pausedAt ? load.state === 'paused' : load.state === job.state),
        'a load is where its job is',
        job.jobId,
        job.state,
        states,
      );
    } else holds(!job.pausedAt, 'only who is on the road pauses', job.jobId, job.state);
    if (!HAULING.includes(job.state) && job.state !== 'ended' && !FINISHED.slice(2).includes(job.state))
      holds(active.length === 0, 'no load is under way without its job', job.jobId, job.state, states);
    if (job.state === 'completed' || job.state === 'canceled')
      holds(
        loads.every(({ state }) => state === 'completed' || state === 'canceled'),
        'a job that is over has no open load',
        job.jobId,
        job.state,
        states,
      );
    holds(new Set(loads.map(({ ordinality }) => ordinality)).size === loads.length, 'places of loads differ', job.jobId, states);
    const order = truth.order.get(job.order.id);
    // A truck between two loads is not in the way of its order's end (DOMAIN 1.1), and completes its job afterwards.
    const isBetween = job.state === 'load_completed' && order.state === 'completed';
    if (['completed', 'canceled'].includes(order.state) && !isBetween)
      holds(
        [...FINISHED, 'canceled'].includes(job.state),
        'an order that is over has no open job',
        order.orderId,
        order.state,
        job.jobId,
        job.state,
      );
    if (HAULING.includes(job.state) || (job.state === 'load_completed' && !isBetween))
      holds(
        ['in_progress', 'hold', 'weather_hold'].includes(order.state),
        'the order of a truck on the road is under way',
        order.orderId,
        order.state,
        job.jobId,
      );
    if (['assigned', 'sent'].includes(job.state)) holds(job.driver, 'who was sent a job has it', job.jobId, job.state);
    if (job.state === 'created') holds(!job.driver, 'a job that nobody has, has no driver', job.jobId);
    if (HAULING.includes(job.state)) holds(dayOf.get(job.id), 'who drives has a day', job.jobId, job.state);
    holds(Boolean(job.approvedAt) === job.approved, 'what is approved says since when', job.jobId);
    if (job.approved) holds(FINISHED.includes(job.state), 'finished work alone is approved', job.jobId, job.state);
  }
  for (const load of truth.load.values()) {
    const times = STAMPS.map((stamp) => load.loadSummary[stamp]).filter((time) => time !== null);
    holds(isInOrder(times), 'the times of a load follow each other', load.loadId, load.loadSummary);
    if (load.approved) holds(load.state === 'completed', 'completed loads alone are approved', load.loadId, load.state);
    if (load.state === 'completed') holds(load.loadSummary.loadCompletedAt, 'a completed load says when', load.loadId);
    if (load.ticket) {
      const ticket = truth.ticket.get(load.ticket.id);
      holds(
        ticket.loadId === load.id && ticket.jobId === load.job.id,
        'a load and its ticket name each other',
        load.loadId,
        ticket.ticketNumber,
      );
    }
  }
  const valid = [...truth.ticket.values()].filter(({ state }) => state !== 'voided');
  for (const ticket of truth.ticket.values()) {
    const load = ticket.loadId && truth.load.get(ticket.loadId);
    if (load)
      holds(
        ticket.state !== 'voided' && load.ticket?.id === ticket.id,
        'a ticket that counts is that of its load',
        ticket.ticketNumber,
        ticket.state,
        load.loadId,
      );
    if (ticket.jobId)
      holds(truth.job.get(ticket.jobId)?.order.id === ticket.orderId, 'a ticket is of the order of its job', ticket.ticketNumber);
    holds(ticket.state !== 'new' || !ticket.jobId, 'a ticket that is new waits for its work', ticket.ticketNumber);
    holds(ticket.state !== 'pending' || ticket.jobId, 'a ticket that is pending has its work', ticket.ticketNumber);
  }
  for (const [load, tickets] of Map.groupBy(
    valid.filter(({ loadId }) => loadId),
    ({ loadId }) => loadId,
  ))
    holds(tickets.length === 1, 'a load has one ticket', load);
  for (const order of truth.order.values()) {
    const jobs = jobsOf.get(order.id) ?? [];
    if (['created', 'pending_request', 'rejected'].includes(order.state))
      holds(
        jobs.every(({ state }) => !HAULING.includes(state)),
        'nobody hauls for an order that nobody accepted',
        order.orderId,
        order.state,
      );
  }
  for (const [driver, days] of Map.groupBy(truth.day.values(), (day) => day.driver.id)) {
    const open = days.filter(({ currentDriverStateEvent: now }) => now && now.state !== 'off_duty');
    holds(open.length <= 1, 'a driver is on duty once', driver);
    for (const { driverDayId, endedShiftAt, currentDriverStateEvent: now } of days)
      holds(!endedShiftAt || !now || now.state === 'off_duty', 'a shift that is over has nobody on duty', driverDayId);
  }
  expect(broken).toEqual([]);
  const violated = await connectedTo(String(scene.app.orm.config.get('clientUrl')), async (db) => {
    const checked = await checkInvariants(async (sql) => (await db.query<object>(sql)).rows);
    return checked.filter(({ name, count }) => count > 0 && !OF_BILLS.has(name)).map(({ name, violations }) => [name, violations]);
  });
  expect(violated).toEqual([]);
  await compareHistories(scene, truth);
}

const EVENTS = 'query ($id: ID!) { job(id: $id) { jobEvents(first: 0) { count(exact: true) { value } } } }';

/** What was changed so far leads to what is there: in the timeline of a job, and read as of the present moment. */
async function compareHistories({ app, at }: Scene, truth: Truth): Promise<void> {
  const { admin } = at;
  const made: Json[] = await app.orm.em
    .fork()
    .getConnection()
    .execute('select result_id from imported_record where company_id = ?', [at.company.id]);
  const imported = new Set(made.map(({ result_id }) => result_id));
  for (const job of truth.job.values()) {
    const events = await pages(admin, `/v1/jobs/${job.id}/job_events`);
    const { job: read } = await ask(admin, EVENTS, { id: job.id });
    expect([job.jobId, read.jobEvents.count.value]).toEqual([job.jobId, events.length]);
    const timeline: Json[] = await admin.must('GET', `/v1/jobs/${job.id}/timeline`);
    const moves: [string | null, string][] = timeline.flatMap(({ object_changes: { state } }) => (state ? [state] : []));
    // Each state that it came to was left again, but for the present one.
    const left = Map.groupBy(moves, ([from]) => from);
    const reached = Map.groupBy(moves, ([, to]) => to);
    const ways = (state: string) => (reached.get(state)?.length ?? 0) - (left.get(state)?.length ?? 0);
    const over = [...new Set(moves.map(([, to]) => to))].filter((state) => ways(state) > 0);
    if (moves.length > 0) expect([job.jobId, over.filter((state) => state !== job.state)]).toEqual([job.jobId, []]);
  }
  const now = new Date().toISOString();
  for (const name of NAMES) {
    const { one } = KINDS[name];
    const fields = PAST[name];
    // Of an imported order the log has what its payload said, and not what the product added: its past is refused.
    const records = [...truth[name].values()].filter(({ id }) => !imported.has(id) || name !== 'order');
    for (let from = 0; from < records.length; from += 20) {
      const some = records.slice(from, from + 20);
      const data = await ask(
        admin,
        `query ($at: DateTime) { ${some.map(({ id }, i) => `a${i}: ${one}(id: "${id}", asOf: $at) { ${fields.join(' ')} }`).join(' ')} }`,
        { at: now },
      );
      for (const [i, record] of some.entries())
        expect([name, data[`a${i}`]]).toEqual([name, Object.fromEntries(fields.map((field) => [field, record[field]]))]);
    }
  }
}
/** Fields of records that are read as they were. */
const PAST: Readonly<Record<KindName, readonly string[]>> = {
  order: ['id', 'orderId', 'state', 'externalId', 'loadAt', 'jobStartAt', 'truckCount', 'quantity'],
  job: ['id', 'jobId', 'state', 'pausedAt', 'jobStartAt', 'quantity', 'recurringLoads', 'notes', 'priority'],
  load: ['id', 'loadId', 'ordinality', 'state', 'quantity', 'unitOfMeasure', 'approvedAt', 'billingApprovedAt'],
  ticket: ['id', 'ticketNumber', 'state', 'quantity', 'unitOfMeasure', 'flagged', 'serviceDate'],
  day: [
    'id',
    'driverDayDate',
    'startedShiftAt',
    'endedShiftAt',
    'adjustedStartedShiftAt',
    'adjustedEndedShiftAt',
    'shiftAdjustmentMinutes',
    'externalId',
  ],
};

/** Compares what drivers see with what the office sees of their work: the same records, and no others. */
export async function compareSight(scene: Scene, truth: Truth, dayOf: ReadonlyMap<string, Json>): Promise<void> {
  for (const driver of scene.drivers) {
    const { status } = await driver.http('GET', '/v1/users/me');
    // Somebody who was merged is nobody any more.
    if (status === 401 || status === 403) continue;
    const jobs = [...truth.job.values()].filter((job) => job.driver?.id === driver.id);
    const own = new Set(jobs.map(({ id }) => id));
    const orders = new Set(jobs.map(({ order }) => order.id));
    const loads = [...truth.load.values()].filter(({ job }) => own.has(job.id));
    const days = [...truth.day.values()].filter(
      (day) => day.driver.id === driver.id || jobs.some(({ id }) => dayOf.get(id)?.id === day.id),
    );
    const expected = {
      job: sorted(own),
      order: sorted(orders),
      load: sorted(loads.map(({ id }) => id)),
      ticket: sorted([...truth.ticket.values()].filter(({ jobId }) => own.has(jobId)).map(({ id }) => id)),
      day: sorted(days.map(({ id }) => id)),
    };
    for (const name of NAMES) {
      const { list } = KINDS[name];
      const data = await ask(driver, `{ ${list}(first: 100) { nodes { id } count(exact: true) { value } } }`);
      expect([name, driver.id, sorted(data[list].nodes.map(({ id }: Json) => id)), data[list].count.value]).toEqual([
        ...[name, driver.id, expected[name].slice(0, 100), expected[name].length],
      ]);
    }
    const mine = await pages(driver, '/v1/jobs/driver');
    expect(sorted(mine.map(({ id }) => id))).toEqual(expected.job);
    const seen = await readAlone(driver, 'job', expected.job);
    for (const [id, { state, loadsCount, completedLoadsCount, ticketsCount, jobSummary, stateEvents, version }] of seen) {
      const job = truth.job.get(id);
      expect([id, { state, loadsCount, completedLoadsCount, ticketsCount, stateEvents, version }, jobSummary]).toEqual([
        id,
        {
          ...{ state: job.state, loadsCount: job.loadsCount, completedLoadsCount: job.completedLoadsCount },
          ...{ ticketsCount: job.ticketsCount, stateEvents: job.stateEvents, version: job.version },
        },
        job.jobSummary,
      ]);
    }
    const foreign = [...truth.job.values()].find(({ id }) => !own.has(id));
    if (foreign) expect((await driver.http('GET', `/v1/jobs/${foreign.id}`)).status).toBe(404);
    for (const [id, { orderSummary }] of await readAlone(driver, 'order', expected.order)) {
      const ofOrder = jobs.filter(({ order }) => order.id === id);
      const isOwn = ({ job }: Json) => ofOrder.some((one) => one.id === job.id);
      expect([id, orderSummary.jobsCount, orderSummary.deliveredLoadsCount]).toEqual([
        ...[id, ofOrder.length, loads.filter((load) => isOwn(load) && load.state === 'completed').length],
      ]);
    }
  }
}

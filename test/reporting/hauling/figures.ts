import { expect } from '@jest/globals';
import { type Sums, sums } from '../everywhere/sums.ts';
import type { Json, Scene } from './scene.ts';
import { ask, pages, sorted, type Truth } from './truth.ts';

const FINISHED = ['completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid'];
const NOT_LEFT = ['created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled'];

const isLive = ({ state }: Json): boolean => state !== 'canceled';
const isCompleted = ({ state }: Json): boolean => state === 'completed';
const isValid = ({ state }: Json): boolean => state !== 'voided';
const saidAt = ({ serviceDate, createdAt }: Json): string => serviceDate ?? createdAt;
const first = (times: readonly (string | null)[]): string | null => times.filter((time) => time !== null).toSorted()[0] ?? null;
const last = (times: readonly string[]): string | null => times.toSorted().at(-1) ?? null;
const mean = (minutes: readonly number[]): number =>
  minutes.length === 0 ? 0 : Math.round(minutes.reduce((all, one) => all + one, 0) / minutes.length);
/** What rows of delivered quantities say, by unit and whether tickets prove it. */
const rowsOf = (rows: readonly Json[]): Sums =>
  sums(
    rows,
    ({ unitOfMeasure, ticketed }) => `${unitOfMeasure} ${ticketed}`,
    ({ delivered }) => delivered,
  );

/** What work says that names other work, found by the names alone. */
function around(truth: Truth) {
  const loadsOf = Map.groupBy(truth.load.values(), ({ job }) => job.id);
  const ticketsOfJob = Map.groupBy(truth.ticket.values(), ({ jobId }) => jobId);
  const ticketsOfOrder = Map.groupBy(truth.ticket.values(), ({ orderId }) => orderId);
  const jobsOf = Map.groupBy(truth.job.values(), ({ order }) => order.id);
  const loads = (job: Json): Json[] => loadsOf.get(job.id) ?? [];
  const weighed = ({ ticket }: Json): boolean => ticket !== null && truth.ticket.get(ticket.id).quantity !== null;
  /** What completed loads delivered: by their tickets, otherwise as reported. */
  const delivered = (all: readonly Json[]): Sums =>
    sums(
      all.filter((load) => isCompleted(load) && (weighed(load) || load.quantity !== null)),
      (load) => `${weighed(load) ? truth.ticket.get(load.ticket.id).unitOfMeasure : load.deliveredUnitOfMeasure} ${weighed(load)}`,
      (load) => (weighed(load) ? truth.ticket.get(load.ticket.id).quantity : load.quantity),
    );
  return {
    ...{ loads, delivered },
    jobs: (order: Json): Json[] => jobsOf.get(order.id) ?? [],
    ticketsOfJob: (job: Json): Json[] => (ticketsOfJob.get(job.id) ?? []).filter(isValid),
    ticketsOfOrder: (order: Json): Json[] => (ticketsOfOrder.get(order.id) ?? []).filter(isValid),
  };
}

/** Compares what jobs and orders count and sum up with the records that they count. */
export async function compareSums(scene: Scene, truth: Truth): Promise<void> {
  const { loads, delivered, jobs, ticketsOfJob, ticketsOfOrder } = around(truth);
  for (const load of truth.load.values()) {
    const ticket = load.ticket && truth.ticket.get(load.ticket.id);
    const quantity = ticket?.quantity ?? load.quantity ?? '0';
    expect([load.loadId, Number(load.deliveredQuantity)]).toEqual([load.loadId, Number(quantity)]);
  }
  for (const job of truth.job.values()) {
    const of = loads(job);
    const said = { ...{ loads: job.loadsCount, completed: job.completedLoadsCount, tickets: job.ticketsCount }, deletable: job.deletable };
    expect([job.jobId, said]).toEqual([
      job.jobId,
      {
        ...{ loads: of.filter(isLive).length, completed: of.filter(isCompleted).length, tickets: ticketsOfJob(job).length },
        deletable: of.every(({ state }) => state === 'created' || state === 'canceled'),
      },
    ]);
    const isDone = job.state === 'load_completed' && !job.pausedAt && !job.recurringLoads && of.every(({ state }) => state !== 'created');
    expect([job.jobId, job.completable]).toEqual([job.jobId, isDone && job.unitOfMeasure !== 'Hour']);
    expect([job.jobId, job.state, job.jobSummary !== null]).toEqual([job.jobId, job.state, FINISHED.includes(job.state)]);
    if (job.jobSummary) {
      const { completedLoadsCount, loadsWithTicketsCount, deliveredQuantities, workTimeMinutes } = job.jobSummary;
      expect([job.jobId, completedLoadsCount, loadsWithTicketsCount, rowsOf(deliveredQuantities)]).toEqual([
        ...[job.jobId, of.filter(isCompleted).length, of.filter(({ ticket }) => ticket !== null).length, delivered(of)],
      ]);
      expect(workTimeMinutes).toBeGreaterThanOrEqual(0);
    }
    const cycles = await scene.at.admin.must('GET', `/v1/jobs/${job.id}/loads/cycles`);
    expect([job.jobId, cycles.load_cycle_time_minutes_avg]).toEqual([job.jobId, job.loadCycleAvg]);
  }
  for (const order of truth.order.values()) {
    const of = jobs(order);
    const ofLoads = of.flatMap(loads);
    const tickets = ticketsOfOrder(order);
    const count = (states: readonly string[]) => of.filter(({ state }) => states.includes(state)).length;
    const byUnit = (rows: Sums, ticketed?: boolean) =>
      sums(
        Object.entries(rows).filter(([key]) => ticketed === undefined || key.endsWith(String(ticketed))),
        ([key]) => key.split(' ')[0]!,
        ([, value]) => value,
      );
    const most = (rows: Sums): number => Math.max(0, ...Object.values(rows));
    const {
      deliveredQuantities,
      materialGrossDeliveredQuantity: gross,
      materialGrossTicketedDeliveredQuantity: ticketed,
      totalTicketsQuantity,
      ...said
    } = order.orderSummary;
    expect([order.orderId, said]).toEqual([
      order.orderId,
      {
        ...{
          jobsCount: of.length,
          acceptedJobsCount: count(['accepted']),
          assignedJobsCount: count(['assigned']),
          sentJobsCount: count(['sent']),
        },
        startedJobsCount: of.filter(({ state }) => !NOT_LEFT.includes(state)).length,
        actionableJobsCount: count(['created', 'rejected']) + of.filter(({ state, driver }) => state === 'accepted' && !driver).length,
        ...{ loadsCount: ofLoads.filter(isLive).length, deliveredLoadsCount: ofLoads.filter(isCompleted).length },
        approvedLoadsCount: ofLoads.filter(({ approvedAt }) => approvedAt !== null).length,
        totalTicketsCount: tickets.length,
        firstLoadUnloadedAt: first(ofLoads.map(({ loadSummary }) => loadSummary.unloadedAt)),
        firstTicketAt: first(tickets.map(saidAt)),
      },
    ]);
    const expected = delivered(ofLoads);
    expect([order.orderId, rowsOf(deliveredQuantities), Number(gross ?? 0), Number(ticketed ?? 0)]).toEqual([
      ...[order.orderId, expected, most(byUnit(expected)), most(byUnit(expected, true))],
    ]);
    const weighed = sums(
      tickets,
      () => 'all',
      ({ quantity }) => quantity ?? 0,
    );
    expect([order.orderId, Number(totalTicketsQuantity)]).toEqual([order.orderId, weighed.all ?? 0]);
    const stays = (arrived: string, left: string, minutes: string) =>
      ofLoads.filter(isLive).flatMap(({ loadSummary: at }) => (at[arrived] && at[left] ? [at[minutes]] : []));
    expect([order.orderId, order.loadsPickupTimeMinutesAvg, order.loadsDropoffTimeMinutesAvg]).toEqual([
      ...[
        order.orderId,
        mean(stays('arrivedPickupAt', 'loadedAt', 'pickupTimeMinutes')),
        mean(stays('arrivedDropoffAt', 'unloadedAt', 'dropoffTimeMinutes')),
      ],
    ]);
    const rollup: Json[] = await scene.at.admin.must('GET', scene.at.path(`/orders/${order.id}/tickets/rollup_summary`));
    const missing = tickets.filter(({ jobId }) => jobId === null).length;
    const counted = (field: string) => rollup.reduce((all, row) => all + row[field], 0);
    expect([order.orderId, counted('total_tickets_count'), counted('total_tickets_missing_job_count')]).toEqual([
      order.orderId,
      tickets.length,
      missing,
    ]);
  }
}

const JOBS_OF_DAY = 'query ($id: ID!) { driverDayJobs(driverDayId: $id, first: 100) { nodes { id } } }';

/** Compares what days of drivers count with the jobs that they have, and each job with the day that has it. @returns the day of each job */
export async function compareDays(scene: Scene, truth: Truth): Promise<Map<string, Json>> {
  const { loads, delivered, ticketsOfJob } = around(truth);
  const dayOf = new Map<string, Json>();
  for (const day of truth.day.values()) {
    const ids = (await pages(scene.at.admin, `/v1/driver_days/${day.id}/jobs`)).map(({ id }) => id);
    const { driverDayJobs } = await ask(scene.at.admin, JOBS_OF_DAY, { id: day.id });
    expect([day.driverDayId, sorted(driverDayJobs.nodes.map(({ id }: Json) => id))]).toEqual([day.driverDayId, sorted(ids)]);
    const jobs = ids.map((id) => truth.job.get(id));
    for (const job of jobs) {
      expect([job.jobId, dayOf.get(job.id)?.driverDayId]).toEqual([job.jobId, undefined]);
      dayOf.set(job.id, day);
      expect([job.jobId, job.driver?.id]).toEqual([job.jobId, day.driver.id]);
    }
    const ofLoads = jobs.flatMap(loads);
    const tickets = jobs.flatMap(ticketsOfJob).map(saidAt);
    const trucks = jobs.flatMap(({ equipment }) => scene.trucks.filter(({ id }) => id === equipment?.id).map(({ external }) => external));
    const said = {
      jobs: day.jobsCount,
      loads: day.loadsCount,
      tickets: day.ticketsCount,
      first: day.firstTicketAt,
      last: day.lastTicketAt,
    };
    expect([day.driverDayId, said, rowsOf(day.deliveredQuantities), sorted(day.equipmentExternalIds)]).toEqual([
      day.driverDayId,
      {
        ...{ jobs: jobs.filter(isLive).length, loads: ofLoads.filter(isCompleted).length, tickets: tickets.length },
        ...{ first: first(tickets), last: last(tickets) },
      },
      delivered(ofLoads),
      sorted(new Set(trucks)),
    ]);
    const start = day.adjustedStartedShiftAt ?? day.startedShiftAt;
    const end = day.adjustedEndedShiftAt ?? day.endedShiftAt;
    expect([day.driverDayId, day.endedShiftAt !== null]).toEqual([day.driverDayId, day.totalShiftMinutes !== null]);
    if (day.endedShiftAt) expect([day.driverDayId, start <= end]).toEqual([day.driverDayId, true]);
  }
  return dayOf;
}

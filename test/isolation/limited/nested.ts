import { expect } from '@jest/globals';
import { Decimal, decimalText } from '../../../src/platform/decimal.ts';
import { ask, listed, sorted } from '../../reporting/hauling/truth.ts';
import type { Look } from './lists.ts';
import { dateOf, type Json } from './scene.ts';
import { type Kind, rowsOf } from './sight.ts';

/** The records of a kind that somebody sees. */
const seen = ({ rows, sight }: Look, kind: Kind): Json[] => rowsOf(rows)[kind].filter(({ id }) => sight[kind].has(id));
const idsOf = (records: readonly Json[] | undefined): string[] => sorted((records ?? []).map(({ id }) => id));
const isLive = ({ state }: Json): boolean => state !== 'canceled';
const isCompleted = ({ state }: Json): boolean => state === 'completed';
const isValid = ({ state }: Json): boolean => state !== 'voided';

/** Lists below other records: those, the list, its kind, and the column that names the record above. */
const BELOW: readonly [string, string, Kind, string][] = [
  ['orders', 'jobs', 'Job', 'order_id'],
  ['orders', 'tickets', 'Ticket', 'order_id'],
  ['jobs', 'loads', 'Load', 'job_id'],
  ['jobs', 'tickets', 'Ticket', 'job_id'],
  ['jobs', 'jobEvents', 'JobEvent', 'job_id'],
  ['projects', 'orders', 'Order', 'project_id'],
  ['accounts', 'orders', 'Order', 'account_id'],
  ['users', 'jobs', 'Job', 'driver_id'],
  ['equipmentList', 'jobs', 'Job', 'equipment_id'],
];

/** Compares the lists below each record with what somebody sees. */
export async function compareNested(look: Look): Promise<void> {
  const { member } = look;
  for (const [parent, child, kind, column] of BELOW) {
    const { records } = await listed(member, parent, `id ${child}(first: 100) { nodes { id } count(exact: true) { value } }`);
    const expected = Map.groupBy(seen(look, kind), (row) => row[column]);
    for (const { id, [child]: found } of records) {
      const ids = idsOf(expected.get(id));
      expect([member.name, parent, child, id, idsOf(found.nodes), found.count.value]).toEqual([
        ...[member.name, parent, child, id, ids, ids.length],
      ]);
    }
  }
  await compareFigures(look);
}

const FIGURES_OF_ORDERS =
  'id orderSummary { jobsCount loadsCount deliveredLoadsCount totalTicketsCount acceptedJobsCount assignedJobsCount sentJobsCount }';

/** Compares what orders, jobs and days count with what somebody sees of it. */
async function compareFigures(look: Look): Promise<void> {
  const { member } = look;
  const [jobs, loads, tickets] = [seen(look, 'Job'), seen(look, 'Load'), seen(look, 'Ticket').filter(isValid)];
  const { records: orders } = await listed(member, 'orders', FIGURES_OF_ORDERS);
  for (const { id, orderSummary } of orders) {
    const of = (rows: readonly Json[]) => rows.filter(({ order_id }) => order_id === id);
    const inState = (state: string) => of(jobs).filter((job) => job.state === state).length;
    expect([member.name, id, orderSummary]).toEqual([
      member.name,
      id,
      {
        ...{
          jobsCount: of(jobs).length,
          loadsCount: of(loads).filter(isLive).length,
          deliveredLoadsCount: of(loads).filter(isCompleted).length,
        },
        ...{ totalTicketsCount: of(tickets).length, acceptedJobsCount: inState('accepted'), assignedJobsCount: inState('assigned') },
        sentJobsCount: inState('sent'),
      },
    ]);
  }
  const { records: days } = await listed(member, 'driverDays', 'id jobsCount loadsCount ticketsCount');
  for (const { id, ...figures } of days) {
    const ofDay = jobs.filter(({ driver_day_id }) => driver_day_id === id);
    const within = ({ job_id }: Json) => ofDay.some((job) => job.id === job_id);
    expect([member.name, id, figures]).toEqual([
      member.name,
      id,
      {
        ...{ jobsCount: ofDay.filter(isLive).length, loadsCount: loads.filter((load) => within(load) && isCompleted(load)).length },
        ticketsCount: tickets.filter(within).length,
      },
    ]);
    const { driverDayJobs } = await ask(member, `{ driverDayJobs(driverDayId: "${id}", first: 100) { nodes { id } } }`);
    expect([member.name, id, idsOf(driverDayJobs.nodes)]).toEqual([member.name, id, idsOf(ofDay)]);
  }
}

const BOARD = `query ($date: Date!, $companyId: ID!) { dayBoard(date: $date) {
  orders { id } jobsByState { count jobs { id } } ordersByState { count } loadsByHour { count } drivers { driver { id } jobsCount } trucks { truck { id } jobsCount }
  jobsByPage(first: 100) { nodes { id } count(exact: true) { value } } ordersByPage(first: 100) { nodes { id } count(exact: true) { value } } }
  companyDayJobStats(date: $date, companyId: $companyId) { totalCount ordersTotalCount } }`;

/** Compares the board of a day with what somebody sees of its work. */
export async function compareBoard(look: Look): Promise<void> {
  const { member, scene, dice } = look;
  const date = dateOf(scene, dice.of([0, 0, 1]));
  const { dayBoard: board, companyDayJobStats: stats } = await ask(member, BOARD, { date, companyId: scene.at.company.id });
  const zone = new Intl.DateTimeFormat('sv-SE', { timeZone: scene.at.company.timeZone });
  const isOn = (time: string | null) => time !== null && zone.format(new Date(time)) === date;
  const jobs = seen(look, 'Job').filter(({ job_start_at }) => isOn(job_start_at));
  const withJob = new Set(jobs.map(({ order_id }) => order_id));
  // An order is on the board by each of its jobs, also by one that only others see.
  const anyJob = new Set(rowsOf(look.rows).Job.flatMap((job) => (isOn(job.job_start_at) ? [job.order_id] : [])));
  const all = seen(look, 'Order');
  const [fewest, most] = [
    all.filter(({ id, load_at }) => isOn(load_at) || withJob.has(id)),
    all.filter(({ id, load_at }) => isOn(load_at) || anyJob.has(id)),
  ];
  const who = [member.name, date];
  const orders = idsOf(board.orders);
  expect([...who, idsOf(fewest).filter((id) => !orders.includes(id)), orders.filter((id) => !idsOf(most).includes(id))]).toEqual([
    ...who,
    [],
    [],
  ]);
  const count = (rows: readonly Json[]) => rows.reduce((sum: number, row) => sum + row.count, 0);
  expect([
    ...who,
    idsOf(board.ordersByPage.nodes),
    board.ordersByPage.count.value,
    count(board.ordersByState),
    stats.ordersTotalCount,
  ]).toEqual([...[...who, orders, orders.length, orders.length, orders.length]]);
  expect([
    ...who,
    idsOf(board.jobsByState.flatMap((row: Json) => row.jobs)),
    idsOf(board.jobsByPage.nodes),
    board.jobsByPage.count.value,
    count(board.jobsByState),
    stats.totalCount,
  ]).toEqual([...who, idsOf(jobs), idsOf(jobs), jobs.length, jobs.length, jobs.length]);
  const unloaded = seen(look, 'Load').filter(({ summary_unloaded_at }) => isOn(summary_unloaded_at));
  expect([...who, 'unloaded', count(board.loadsByHour)]).toEqual([...who, 'unloaded', unloaded.length]);
  const counted = (fits: (job: Json) => boolean) => jobs.filter((job) => fits(job) && job.state !== 'rejected' && isLive(job)).length;
  for (const { driver, jobsCount } of board.drivers)
    expect([...who, driver.id, jobsCount]).toEqual([...who, driver.id, counted((job) => job.driver_id === driver.id)]);
  for (const { truck, jobsCount } of board.trucks)
    expect([...who, truck.id, jobsCount]).toEqual([...who, truck.id, counted((job) => job.equipment_id === truck.id)]);
}

/** The columns by which money is summed, and what it takes to read the sum. */
const MONEY: readonly [measure: string, permission: string, counts: (invoice: Json) => boolean][] = [
  ['receivable', 'view_customer_rates', ({ side }) => side === 'receivable'],
  ['driver_payable', 'view_driver_rates', ({ side, payee_driver_id }) => side === 'payable' && payee_driver_id !== null],
];

/** Compares the sums of metrics with what somebody sees: they count what lists show (D-REPORTING-1). */
export async function compareMetrics(look: Look): Promise<void> {
  const { member, scene, sight } = look;
  const measure = async (names: readonly string[]): Promise<{ status: number; values: Record<string, string> }> => {
    const question = names.map((name) => `measures[]=${name}`).join('&');
    const { status, body } = await member.http('GET', scene.at.path(`/metrics?${question}`));
    const sums = new Map(names.map((name) => [name, new Decimal(0)]));
    for (const group of status === 200 ? body.data : [])
      for (const { measure: name, value } of group.values) sums.set(name, sums.get(name)!.plus(value ?? 0));
    return { status, values: Object.fromEntries([...sums].map(([name, sum]) => [name, decimalText(sum)])) };
  };
  const expected = {
    ...{ orders: sight.Order.size, jobs: sight.Job.size, loads: seen(look, 'Load').filter(isCompleted).length },
  };
  const counted = Object.fromEntries(Object.entries(expected).map(([name, count]) => [name, String(count)]));
  expect([member.name, await measure(Object.keys(expected))]).toEqual([member.name, { status: 200, values: counted }]);
  for (const [name, permission, counts] of MONEY) {
    const own = sight.rights.ownOnly ? ':own' : '';
    const may = ['view_settlements', permission].every((one) => sight.rights.can(one) || sight.rights.can(`${one}${own}`));
    const { status, values } = await measure([name]);
    expect([member.name, name, status]).toEqual([member.name, name, may ? 200 : 403]);
    const bills = seen(look, 'Invoice').filter((invoice) => isValid(invoice) && counts(invoice));
    const total = bills.reduce((sum, { total_amount }) => sum.plus(total_amount ?? 0), new Decimal(0));
    if (may) expect([member.name, name, values[name]]).toEqual([member.name, name, decimalText(total)]);
  }
}

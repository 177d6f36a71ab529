import { expect } from '@jest/globals';
import type { Books } from '../../billing/books.ts';
import { rowsOf } from '../bi-logins.ts';
import { asTool, sums } from '../everywhere/sums.ts';
import { dateOf, type Json, type Scene } from './scene.ts';
import { ask, byId, type KindName, NAMES, pages, sorted, type Truth } from './truth.ts';

const FINISHED = ['completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid'];
/** States in which a job keeps neither its driver nor its truck. */
const OVER = [...FINISHED, 'canceled', 'rejected'];

const isCompleted = ({ state }: Json): boolean => state === 'completed';

const BOARD = `query ($date: Date!, $companyId: ID!) { dayBoard(date: $date) {
  orders { id } jobsByState { state count jobs { id } } ordersByState { state count } loadsByHour { startsAt count }
  drivers { driver { id } jobsCount availability } trucks { truck { id } jobsCount availability }
  jobsByPage(first: 100) { nodes { id } count(exact: true) { value } } ordersByPage(first: 100) { nodes { id } count(exact: true) { value } } }
  companyDayJobStats(date: $date, companyId: $companyId) { totalCount unassignedCount assignedCount sentCount acceptedCount rejectedCount enrouteCount loadedCount unloadedCount
    completedCount canceledCount ordersTotalCount ordersPendingRequestCount } }`;

const countsOf = (records: readonly Json[]): Record<string, number> =>
  sums(
    records,
    ({ state }) => state,
    () => 1,
  );

/** Compares the board of each day with the work that is on it. */
export async function compareBoards(scene: Scene, truth: Truth): Promise<void> {
  const all = [...truth.job.values()];
  const dates = new Set([
    ...all.map(({ jobStartAt }) => dateOf(scene, jobStartAt)),
    ...[...truth.order.values()].map(({ loadAt }) => dateOf(scene, loadAt)),
  ]);
  for (const date of dates) {
    const { dayBoard: board, companyDayJobStats: stats } = await ask(scene.at.admin, BOARD, { date, companyId: scene.at.company.id });
    const jobs = all.filter(({ jobStartAt }) => dateOf(scene, jobStartAt) === date);
    const withJob = new Set(jobs.map(({ order }) => order.id));
    const orders = [...truth.order.values()].filter(({ id, loadAt }) => withJob.has(id) || dateOf(scene, loadAt) === date);
    const ids = (records: readonly Json[]) => sorted(records.map(({ id }) => id));
    const byState = (rows: readonly Json[]) => Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    expect([date, byState(board.jobsByState), byState(board.ordersByState)]).toEqual([date, countsOf(jobs), countsOf(orders)]);
    expect([
      date,
      ids(board.jobsByState.flatMap((row: Json) => row.jobs)),
      ids(board.jobsByPage.nodes),
      board.jobsByPage.count.value,
    ]).toEqual([...[date, ids(jobs), ids(jobs), jobs.length]]);
    expect([date, ids(board.orders), ids(board.ordersByPage.nodes), board.ordersByPage.count.value]).toEqual([
      date,
      ids(orders),
      ids(orders),
      orders.length,
    ]);
    const unloaded = [...truth.load.values()].filter(({ loadSummary: { unloadedAt } }) => unloadedAt && dateOf(scene, unloadedAt) === date);
    const hours = board.loadsByHour.reduce((sum: number, { count }: Json) => sum + count, 0);
    expect([date, hours]).toEqual([date, unloaded.length]);
    const work = (rows: readonly Json[], fits: (job: Json) => boolean) => {
      const found = rows.filter(fits);
      const isBooked = found.some(({ state }) => !OVER.includes(state));
      return [found.filter(({ state }) => state !== 'rejected' && state !== 'canceled').length, isBooked ? 'booked' : 'available'];
    };
    for (const { driver, jobsCount, availability } of board.drivers)
      expect([date, driver.id, jobsCount, availability]).toEqual([date, driver.id, ...work(jobs, (job) => job.driver?.id === driver.id)]);
    for (const { truck, jobsCount, availability } of board.trucks) {
      const has = (job: Json) => job.equipment?.id === truck.id || job.additionalEquipment.some(({ id }: Json) => id === truck.id);
      expect([date, truck.id, jobsCount, availability]).toEqual([date, truck.id, ...work(jobs, has)]);
    }
    const count = (...states: string[]) => jobs.filter(({ state }) => states.includes(state)).length;
    expect([date, stats]).toEqual([
      date,
      {
        ...{
          totalCount: jobs.length,
          unassignedCount: count('created', 'rejected'),
          assignedCount: count('assigned'),
          sentCount: count('sent'),
        },
        ...{ acceptedCount: count('accepted'), rejectedCount: count('rejected'), enrouteCount: count('to_pickup', 'to_dropoff') },
        ...{
          loadedCount: count('loaded'),
          unloadedCount: count('unloaded'),
          completedCount: count(...FINISHED),
          canceledCount: count('canceled'),
        },
        ...{ ordersTotalCount: orders.length, ordersPendingRequestCount: orders.filter(({ state }) => state === 'pending_request').length },
      },
    ]);
  }
}

/** Compares the lists of what waits for an approval with the work that can be approved for billing. */
export async function compareWaiting(scene: Scene, truth: Truth): Promise<void> {
  const isUnderWay = (order: Json) => ['in_progress', 'completed'].includes(order.state);
  const orderOf = (job: Json): Json => truth.order.get(job.order.id);
  const jobs = [...truth.job.values()].filter(
    (job) => ['completed', 'ended', 'in_review'].includes(job.state) && job.billingApprovedAt === null && isUnderWay(orderOf(job)),
  );
  const loads = [...truth.load.values()].filter(
    (load) => isCompleted(load) && load.billingApprovedAt === null && isUnderWay(orderOf(truth.job.get(load.job.id))),
  );
  const found = async (path: string) => sorted(byId(await pages(scene.at.admin, scene.at.path(path))).keys());
  expect(await found('/jobs/approval')).toEqual(sorted(jobs.map(({ id }) => id)));
  expect(await found('/loads/approval')).toEqual(sorted(loads.map(({ id }) => id)));
  const names = ['orders', 'jobs', 'started_jobs', 'loads'];
  const [{ values }] = await scene.at.admin.must('GET', scene.at.path(`/metrics?${names.map((name) => `measures[]=${name}`).join('&')}`));
  const metrics = Object.fromEntries(values.map(({ measure, value }: Json) => [measure, Number(value)]));
  const total = (name: 'order' | 'job') => truth[name].size;
  expect({ ...metrics, started_jobs: undefined }).toEqual({
    ...{ orders: total('order'), jobs: total('job'), started_jobs: undefined },
    loads: [...truth.load.values()].filter(isCompleted).length,
  });
  await compareViews(scene, truth);
}

/** Compares what a BI tool reads with the records. */
async function compareViews({ app, at }: Scene, truth: Truth): Promise<void> {
  const books = { app, tenant: at } as Books;
  const inViews = await asTool<Record<KindName, Json[]>>(books, async (db) => ({
    order: await rowsOf(db, 'select id, state from orders'),
    job: await rowsOf(db, 'select id, state from jobs'),
    load: await rowsOf(db, 'select id, state from loads'),
    ticket: await rowsOf(db, 'select id, state from tickets'),
    day: await rowsOf(db, 'select id from driver_days'),
  }));
  const said = ({ id, state }: Json) => [id, state];
  for (const name of NAMES)
    expect([name, Object.fromEntries(inViews[name].map(said))]).toEqual([name, Object.fromEntries([...truth[name].values()].map(said))]);
}

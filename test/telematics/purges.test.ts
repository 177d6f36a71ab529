import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deleteOldPositions } from '../../src/telematics/positions/retention.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { sweepRuns } from '../helpers/properties.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import type { Person } from '../helpers/tenant.ts';
import { zoneAt } from '../helpers/zones.ts';
import { agePositions } from './aged.ts';
import { makeRoad, type Road } from './fences/road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
let biller: Person;
beforeAll(async () => {
  app = await startTestApp({ worker: true, invoices: true, shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(12) });
  biller = await tenant.person({ roles: ['biller'] });
  const { errors } = await tenant.gql('mutation { updateCompanySettings(input: { positionRetentionDays: 30 }) { id } }');
  expect(errors).toBeUndefined();
});
afterAll(() => app.close());

const RATES = {
  ...{ customer_rate_value: 100, customer_rate_type: 'RatePerLoad', driver_rate_value: 30, driver_rate_type: 'RatePerHour' },
};
const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute<Json[]>(text, values);

interface Work {
  road: Road;
  dayId: string;
  /** Of the latest position. */
  minute: number;
  purged: number;
}

/** Waits until everything that follows from positions, and from what they changed, which is due at once, is done. */
async function followed(): Promise<void> {
  await sql('update position_task set due_at = now()');
  await app.settled();
}

const bodyOf = async (path: string) => {
  const { status, body } = await tenant.http('GET', path, undefined, tenant.admin.token);
  expect([200, 404]).toContain(status);
  return body.data ?? null;
};

/** Everything that was worked out of positions, or rests on it. */
async function figuresOf({ road: { jobId, driver }, dayId }: Work): Promise<Json> {
  const invoices = await Promise.all(['receivable', 'payable'].map((side) => bodyOf(`/v1/jobs/${jobId}/${side}`)));
  return {
    day: await bodyOf(`/v1/driver_days/${dayId}`),
    totals: await sql('select approved_totals, gps_minutes, gps_distance_meters, measured_after_approval from driver_day where id = ?', [
      dayId,
    ]),
    summary: await bodyOf(`/v1/jobs/${jobId}/summary`),
    loads: await bodyOf(`/v1/jobs/${jobId}/loads`),
    cycles: await bodyOf(`/v1/jobs/${jobId}/loads/cycles`),
    distances: await Promise.all(
      [`driver_days/${dayId}`, `jobs/${jobId}`].map((path) => bodyOf(tenant.path(`/${path}/travelled_distances`))),
    ),
    crossings: await sql('select * from geofence_trigger where asset_id = ? order by occurred_at, id', [driver.id]),
    invoices,
    lines: await Promise.all(invoices.map((one) => one && bodyOf(tenant.path(`/invoices/${one.id}/invoice_line_items`)))),
  };
}

/** Deletes all positions as if they were older than the company keeps them, and compares what was worked out before. */
async function purge(work: Work): Promise<void> {
  await followed();
  const before = await figuresOf(work);
  // On some days of a year they leave as a whole month, which is not counted.
  work.purged += await agePositions(app, tenant.company.id);
  const errors: unknown[] = [];
  await deleteOldPositions(app.productOrm.em.fork(), (error) => errors.push(error));
  expect([errors, await sql('select from location_history where company_id = ?', [tenant.company.id])]).toEqual([[], []]);
  await followed();
  expect(await figuresOf(work)).toEqual(before);
}

const put = async (path: string, by: Pick<Person, 'http'> = tenant.admin) => (await by.http('PUT', path, {})).status;
const invoiceOf = async ({ road }: Work, n: number) => {
  await followed();
  return bodyOf(`/v1/jobs/${road.jobId}/${n % 2 ? 'payable' : 'receivable'}`);
};

/** The acts that may happen to the work. Each answers with a status, or nothing where there is nothing to do. */
const acts = {
  /** A whole load, by positions alone. */
  async haul(work: Work) {
    const { road, minute } = work;
    if (minute > 150) return undefined;
    await road.go([minute, 0], [minute + 3, 0]);
    await road.go([minute + 4, 800], [minute + 8, 4_000]);
    await road.go([minute + 9, 5_000], [minute + 12, 5_000]);
    await road.go([minute + 13, 4_000], [minute + 17, 800]);
    work.minute = minute + 18;
    return 204;
  },
  /** A part of it. */
  async enter(work: Work, n: number) {
    if (work.minute > 165) return undefined;
    const metres = [0, 2_500, 5_000][n % 3]!;
    await work.road.go([work.minute, metres], [work.minute + 2, metres]);
    work.minute += 3;
    return 204;
  },
  async undo({ road }: Work) {
    const event = (await road.triggers()).findLast(({ job_event_id: id }) => id)?.job_event_id;
    if (!event) return undefined;
    const { errors } = await tenant.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { id } }', { id: event });
    return errors ? (errors[0].extensions.code === 'conflict' ? 409 : errors) : 200;
  },
  async press({ road }: Work, n: number) {
    const events = ['enroute', 'arrive', 'load_material', 'unload_material', 'complete_load'];
    return put(`/v1/jobs/${road.jobId}/${events[n % events.length]}`);
  },
  async ticket({ road }: Work, n: number) {
    const loads: Json[] = await bodyOf(`/v1/jobs/${road.jobId}/loads`);
    const fields = { load_id: loads[n % loads.length].id, unit_of_measure: 'Ton', quantity: 10 + (n % 10) };
    return (await tenant.http('POST', '/v1/tickets', fields)).status;
  },
  complete: ({ road }: Work) => put(`/v1/jobs/${road.jobId}/complete`),
  endShift: ({ road }: Work) => put('/v1/users/me/driver_day/off_duty', road.driver),
  approveDay: ({ dayId }: Work) => put(`/v1/driver_days/${dayId}/approve`),
  unapproveDay: ({ dayId }: Work) => put(`/v1/driver_days/${dayId}/unapprove`),
  approveJob: ({ road }: Work) => put(`/v1/jobs/${road.jobId}/approve`),
  async approveInvoice(work: Work, n: number) {
    const invoice = await invoiceOf(work, n);
    return invoice && put(tenant.path(`/invoices/${invoice.id}/approve`), biller);
  },
  async unapproveInvoice(work: Work, n: number) {
    const invoice = await invoiceOf(work, n);
    return invoice && put(tenant.path(`/invoices/${invoice.id}/unapprove`), biller);
  },
  async purge(work: Work) {
    await purge(work);
    return 200;
  },
};
type Act = keyof typeof acts;
const step = fc.record({ act: fc.constantFrom(...(Object.keys(acts) as Act[])), n: fc.integer({ min: 0, max: 1_000 }) });

test('A-I12: a purge changes no summary, invoice or approved figure, whatever was hauled, undone, weighed, approved, billed and purged before', async () => {
  const done = new Map<Act, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), fc.boolean(), async (drawn, over) => {
      const road = await makeRoad(tenant, { order: RATES, duty: false });
      const { id: dayId } = await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(-60) });
      const work: Work = { road, dayId, minute: 0, purged: 0 };
      // There is something to work out, and to bill where the work is over.
      const steps: { act: Act; n: number }[] = [{ act: 'haul', n: 0 }, ...drawn];
      if (over)
        for (const act of ['complete', 'endShift', 'approveDay', 'approveInvoice', 'approveInvoice'] as const)
          steps.push({ act, n: steps.length });
      for (const { act, n } of [...steps, { act: 'purge' as const, n: 0 }]) {
        const status = await acts[act](work, n);
        expect([undefined, null, 200, 201, 204, 400, 404, 409, 422]).toContain(status);
        if (status && status < 300) done.set(act, (done.get(act) ?? 0) + 1);
      }
      expect(work.purged).toBeGreaterThan(0);
    }),
    { numRuns: sweepRuns(4, 2), endOnFailure: true, examples: [[[], true]] },
  );
  expect([...done.keys()]).toEqual(expect.arrayContaining(['haul', 'complete', 'approveDay', 'approveInvoice', 'purge']));
}, 600_000);

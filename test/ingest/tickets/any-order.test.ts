import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, sql, makeTruck } = hauling();

/** An order of a case: imported, or made by a person for a driver with a truck. */
interface Order {
  number: 0 | 1;
  day: 23 | 24;
  /** The truck of its driver; undefined for an imported order. */
  truck: 0 | 1 | undefined;
}
interface Ticket {
  /** By dispatch number and day, or by the external id of an order. */
  by: 'number' | 'id';
  order: 0 | 1 | 2;
  number: 0 | 1;
  day: 23 | 24;
  truck: 0 | 1;
}
interface Case {
  orders: Order[];
  tickets: Ticket[];
  /** How the requests are shuffled. */
  places: number[];
  atOnce: boolean;
  kills: boolean;
}

/** Every truck drives one order of a number and day, so that what a ticket may take does not depend on the order of tickets. */
const CASES: fc.Arbitrary<Case> = fc.record({
  orders: fc.uniqueArray(
    fc.record({ number: fc.constantFrom(0, 1), day: fc.constantFrom(23, 24), truck: fc.constantFrom(0, 1, undefined) }),
    { minLength: 1, maxLength: 3, selector: ({ number, day, truck }) => (truck === undefined ? {} : `${number} ${day} ${truck}`) },
  ),
  tickets: fc.array(
    fc.record({
      by: fc.constantFrom('number', 'id'),
      order: fc.constantFrom(0, 1, 2),
      number: fc.constantFrom(0, 1),
      day: fc.constantFrom(23, 24),
      truck: fc.constantFrom(0, 1),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  places: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
  atOnce: fc.boolean(),
  kills: fc.boolean(),
}) as fc.Arbitrary<Case>;

const orderPayload = ({ number, day }: Order, i: number) => ({
  external_id: `O-${i}`,
  load_at: `2026-11-${day}T06:00`,
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  dispatch_number: `D-${number}`,
  sites: [{ waypoint: 'pickup', name: `Pit ${i}`, external_id: `S-${i}` }],
});
const ticketPayload = ({ by, order, number, day, truck }: Ticket, i: number) =>
  payload({
    ticket_number: `T-${i}`,
    service_date: `2026-11-${day}T09:30`,
    truck_id: `TRK-${truck}`,
    // The site that its order brings, and no other one.
    ...(by === 'number' ? { dispatch_number: `D-${number}` } : { order_external_id: `O-${order}`, site: `Pit ${order}` }),
  });

/** Sends until it is acknowledged: a request whose connection was cut may have been taken or not. */
async function acknowledged(tenant: Tenant, path: string, body: Json): Promise<void> {
  for (let tried = 0; tried < 20; tried++) {
    const { status, body: answer } = await tenant.http('POST', path, body);
    if (status === 201 || status === 202) return;
    if (path === '/v1/orders' && status === 422 && JSON.stringify(answer).includes('external')) return;
    if (status < 500) throw new Error(`${path} -> ${status} ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${path} was never acknowledged`);
}

/** Cuts the connections that import or make something, time and again, until it is called. */
function kill(): () => Promise<void> {
  let stopped = false;
  const cutting = (async () => {
    for (let n = 0; n < 4 && !stopped; n++) {
      await new Promise((resolve) => setTimeout(resolve, 15 + 10 * n));
      await sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and (state like 'idle in%' or query ~ 'ticket|import_|orders')`);
    }
  })();
  return async () => {
    stopped = true;
    await cutting;
  };
}

/** Waits until nothing is open. What a cut connection left behind comes back at once, not when its lease ends. */
async function drain({ company }: Tenant): Promise<void> {
  for (let tried = 0; tried < 100; tried++) {
    await at.app.settled();
    const open = await sql(
      `update import_task set lease_until = case when lease_until is not null then now() end, next_attempt_at = now() where company_id = $1 returning id`,
      [company.id],
    );
    if (open.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('imported records stay open');
}

/** Sends orders and tickets, and returns what became of each ticket, with what is said of it. */
async function outcome({ orders, tickets }: Case, run: (steps: (() => Promise<void>)[]) => Promise<void>): Promise<Json> {
  const tenant = await makeTenant(at.app);
  const trucks = await Promise.all([0, 1].map((n) => makeTruck(`TRK-${n}`, tenant)));
  const drivers = await Promise.all(trucks.map(({ id }) => tenant.person({ roles: ['driver'], defaultEquipment: id })));
  const steps = [
    ...orders.map((order, i) => () => {
      const { external_id, dispatch_number: name } = orderPayload(order, i);
      if (order.truck === undefined) return acknowledged(tenant, '/ingest/orders', { orders: [orderPayload(order, i)] });
      const more = { external_id, dispatch_number: { name }, load_at: `2026-11-${order.day}T12:00:00Z`, loads_per_truck: 5 };
      return acknowledged(tenant, '/v1/orders', orderInput(tenant, { ...more, driver_id: drivers[order.truck]!.user.id }));
    }),
    ...tickets.map((ticket, i) => () => acknowledged(tenant, '/ingest/tickets', { tickets: [ticketPayload(ticket, i)] })),
  ];
  await run(steps);
  await drain(tenant);
  const refused = await sql(`select last_error from imported_record where company_id = $1 and kind = 'order' and state = 'failed'`, [
    tenant.company.id,
  ]);
  expect(refused).toEqual([]);
  const rows = await sql(
    `select t.ticket_number, t.state, o.external_id as order, t.load_id is not null as linked, count(*) over (partition by t.load_id) as same, t.equipment_id is not null as truck,
       (select s.name from site s where s.id = t.site_id) as site,
       (select r.warnings from imported_record r where r.company_id = t.company_id and r.kind = 'ticket' and r.result_id = t.id order by r.sequence limit 1) as warnings
     from ticket t left join orders o on o.id = t.order_id where t.company_id = $1 order by t.ticket_number`,
    [tenant.company.id],
  );
  for (const row of rows) if (row.linked) expect(row.same).toBe('1');
  return rows.map(({ same: _, warnings, ...row }: Json) => ({ ...row, warnings: codes({ warnings }) }));
}

test('tickets and orders may come in any order, at once, cut off and again: the tickets end where they would if the orders came first', async () => {
  await fc.assert(
    fc.asyncProperty(CASES, async (one) => {
      const naturally = await outcome(one, async (steps) => {
        for (const [i, step] of steps.entries()) {
          await step();
          if (i === one.orders.length - 1) await at.app.settled();
        }
      });
      const anyhow = await outcome(one, async (steps) => {
        const shuffled = steps.map((step, i) => ({ step, place: one.places[i]! })).sort((a, b) => a.place - b.place);
        const stop = one.kills ? kill() : async () => undefined;
        if (one.atOnce) await Promise.all(shuffled.map(({ step }) => step()));
        else
          for (const { step } of shuffled) {
            await step();
            await at.app.settled();
          }
        await stop();
      });
      expect(anyhow).toEqual(naturally);
      expect(anyhow.length).toBe(one.tickets.length);
    }),
    { numRuns: runs(20) },
  );
}, 240_000);

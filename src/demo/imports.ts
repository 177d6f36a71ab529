import type { EntityManager } from '@mikro-orm/postgresql';
import { PERMISSIONS } from '../identity/access/permissions.ts';
import type { M2MClient } from '../identity/machine-clients/machine-client.entity.ts';
import { importerOf } from '../ingest/importers.ts';
import { admitIn } from '../ingest/ledger/admit.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { localDateAfter } from '../platform/time.ts';
import type { DemoCompany } from './demo-company.ts';
import { IMPORTED, WEEK } from './week.ts';

/**
 * Sends what an ERP and a scale house might have sent this morning: most of it fits, some of it is guessed or has mistakes, so that the first
 * page of the console shows what the importer says of each. It is stored in the transaction of the seed, and imported as everything is once
 * workers run.
 */
export async function sendDemoImports(em: EntityManager, demo: DemoCompany, client: M2MClient, now: Date): Promise<void> {
  const { parent, children } = demo;
  const known = new Set<string>(PERMISSIONS);
  const viewer: Viewer = {
    ...{ type: 'M2MClient', id: client.id, name: client.name, companyId: parent.id, receivesWork: false, roles: [] },
    companyIds: [parent, ...children].map(({ id }) => id),
    can: (permission) => known.has(permission),
  };
  const ctx = { requestId: 'demo', language: 'en', viewer, em, memo: new Map() } as Partial<Context> as Context;
  const tx = { now, events: [], audits: [], transitions: [], beforeCommit: [], afterCommit: [] };
  for (const kind of ['order', 'ticket'] as const)
    await admitIn({ ...ctx, tx }, importerOf(kind), kind === 'order' ? ordersOf(demo, now) : ticketsOf(demo, now));
}

/** Orders of an ERP: one that is known and changes, and two with mistakes. */
function ordersOf({ parent, users }: DemoCompany, now: Date): object[] {
  const last = WEEK.length;
  const plan = WEEK[last - 1]!;
  const day = localDateAfter(now, plan.day, parent.timeZone);
  const foreman = users.find(({ roles }) => roles.includes('foreman'))!;
  const foremen = [{ email: foreman.email }];
  return [
    {
      external_id: `DEMO-${String(last).padStart(3, '0')}`,
      load_at: `${day}T${String(plan.hour).padStart(2, '0')}:00`,
      customer: { external_id: 'HCP', name: 'Hill Country Paving' },
      foremen,
      truck_count: plan.jobs.length + 1,
      unit_of_measure: 'truckloads',
      notes: 'Call the gate 20 minutes before the first truck.',
    },
    { external_id: 'ERP-20431', load_at: 'tomorrow 7 am', customer: { external_id: 'TSW' }, foremen, truck_count: 2 },
    { external_id: 'ERP-20432', load_at: `${day}T07:00`, customer: { name: 'Barton Homes' }, truck_count: 'two' },
  ];
}

/** Tickets of a scale, of the loads of yesterday's first order, and some that do not find one. */
function ticketsOf({ parent, drivers, equipment }: DemoCompany, now: Date): object[] {
  const day = localDateAfter(now, -1, parent.timeZone);
  const truckOf = (driver: number) => equipment.find(({ id }) => id === drivers[driver]!.equipment?.id)!.externalId!;
  const ticket = (number: number, more: object) => ({
    ticket_number: `S-${88100 + number}`,
    service_date: `${day}T09:30`,
    dispatch_number: `D-${5001 + IMPORTED}`,
    truck_id: truckOf(0),
    quantity: 22.41,
    unit_of_measure: 'tons',
    material: 'Washed concrete sand',
    customer: 'Hill Country Paving',
    ...more,
  });
  return [
    ticket(1, {}),
    ticket(2, { quantity: 23.07 }),
    ticket(3, { quantity: 45820, unit_of_measure: 'lb' }),
    ticket(4, { truck_id: truckOf(1), quantity: 21.86 }),
    ticket(5, { truck_id: truckOf(1).replaceAll('0', 'O') }),
    ticket(6, { dispatch_number: 'D-9999', truck_id: truckOf(1) }),
    ticket(7, { quantity: '' }),
    ticket(1, { quantity: 29.8, service_date: `${day}T15:10` }),
  ];
}

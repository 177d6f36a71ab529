import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Account } from '../directory/accounts/account.entity.ts';
import { Contact } from '../directory/contacts/contact.entity.ts';
import type { User } from '../directory/people/user.entity.ts';
import type { Site } from '../directory/sites/site.entity.ts';
import { DispatchNumber } from '../dispatch/model/dispatch-number.entity.ts';
import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { Phase } from '../dispatch/model/phase.entity.ts';
import { Project, ProjectMaterial } from '../dispatch/model/project.entity.ts';
import { Waypoint } from '../dispatch/model/route.entity.ts';
import { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import { localDateAfter, localToInstant } from '../platform/time.ts';
import type { LocationHistory } from '../telematics/positions/location-history.entity.ts';
import { agreedStart, beginOf, type Clock, LOADS_PER_TRUCK, PAUSE_AFTER, TRUCK_DELAY } from './begin.ts';
import { BILLED } from './billing/billed-work.ts';
import type { DemoCompany } from './demo-company.ts';
import { historyOf } from './history.ts';
import { type Build, makeLoad, materialOf, noteEvents } from './loads-of-job.ts';
import { positionsOf } from './positions.ts';
import { HAULS } from './sites.ts';
import { type BilledTerms, CHASED, type PlannedOrder, WEEK } from './week.ts';
import type { WorkedJob } from './worked.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TONS_PER_LOAD = ['22.41', '23.07', '21.86', '22.95'];

/** The next numbers after those of the demo, for the counters, and what is to be written once people and jobs are. */
export interface DemoNumbers {
  orders: number;
  projects: number;
  positions: LocationHistory[];
  /** The jobs that somebody drives, for the proof of their work. */
  worked: WorkedJob[];
  /** Those that somebody else's driver has done. */
  chained: WorkedJob[];
}

/** Persists three projects, the week of work around `now`, and before it what is billed; the caller flushes. */
export function makeDemoWork(em: EntityManager, demo: DemoCompany, now: Date): DemoNumbers {
  const build = <T extends object>(type: new () => T, values: Partial<T>): T => {
    const made = Object.assign(new type(), values);
    em.persist(made);
    return made;
  };
  const { parent } = demo;
  const projects = ['Highway 71 widening', 'Lakeline batch plant supply', 'Mueller site works'].map((name, i) => {
    const project = build(Project, {
      company: ref(parent),
      number: i + 1,
      projectId: `P-${i + 1}`,
      name,
      externalId: `PRJ-${100 + i}`,
      poJobNumber: `PO-${7000 + i}`,
      account: ref(demo.customers[i]!),
      service: ref(demo.services[0]!),
      department: ref(demo.departments[i % 2]!),
      foremanIds: demo.users.filter((user) => user.roles.includes('foreman')).map((user) => user.id),
      effectiveAt: new Date(now.getTime() - 30 * DAY),
      expiresAt: new Date(now.getTime() + 90 * DAY),
    });
    build(Phase, { companyId: parent.id, projectId: project.id, name: 'Subgrade', code: '100', primary: true });
    build(Phase, { companyId: parent.id, projectId: project.id, name: 'Base course', code: '200' });
    build(ProjectMaterial, {
      companyId: parent.id,
      projectId: project.id,
      material: ref(demo.materials[i]!),
      totalQuantity: new Decimal(4000),
      unitOfMeasure: 'Ton',
    });
    return project;
  });
  const positions: LocationHistory[] = [];
  const worked: WorkedJob[] = [];
  const chained: WorkedJob[] = [];
  const plans = [...WEEK, ...BILLED];
  for (const [index, plan] of plans.entries()) makeOrder({ positions, worked, chained }, build, demo, projects, plan, index + 1, now);
  return { orders: plans.length, projects: projects.length, positions, worked, chained };
}

const usual = (place: number): string => TONS_PER_LOAD[place % TONS_PER_LOAD.length]!;
const weighed = (tons: string | null | undefined): Decimal | null => (tons == null ? null : new Decimal(tons));

function makeOrder(
  { positions, worked, chained }: Pick<DemoNumbers, 'positions' | 'worked' | 'chained'>,
  build: Build,
  demo: DemoCompany,
  projects: Project[],
  plan: PlannedOrder,
  number: number,
  now: Date,
): void {
  const { parent } = demo;
  const day = localDateAfter(now, plan.day, parent.timeZone);
  const clock: Clock = { now, timeOfDay: (time) => localToInstant(`${day}T${time}`, parent.timeZone)!.getTime() };
  const loadAt = beginOf(plan, clock);
  const project = plan.project === undefined ? undefined : projects[plan.project];
  const requester = demo.users.find((user) => user.roles.includes('foreman'))!;
  const order = build(Order, {
    company: ref(parent),
    number,
    orderId: String(number),
    name: `${demo.materials[plan.material]!.name} for ${demo.customers[plan.customer]!.name}`,
    externalId: `DEMO-${String(number).padStart(3, '0')}`,
    state: plan.state,
    heldFrom: plan.state === 'hold' ? 'accepted' : plan.state === 'weather_hold' ? 'in_progress' : null,
    account: ref(demo.customers[plan.customer]!),
    project: project ? ref(project) : null,
    service: ref(demo.services[plan.billed?.hourlyAndLate === undefined ? 0 : 1]!),
    department: ref(demo.departments[number % 2]!),
    material: ref(demo.materials[plan.material]!),
    equipmentType: ref(demo.equipmentTypes[1]!),
    dispatchNumber: ref(build(DispatchNumber, { company: ref(parent), name: `D-${5000 + number}` })),
    requester: ref(requester),
    foremanIds: [requester.id],
    foremanContact: ref(
      build(Contact, { companyId: parent.id, name: `${requester.firstName} ${requester.lastName}`, phone: requester.phone }),
    ),
    loadAt,
    chaseMissingTickets: number === CHASED.order,
    truckCount: plan.jobs.length,
    truckDelay: TRUCK_DELAY,
    loadsPerTruck: LOADS_PER_TRUCK,
    quantity: new Decimal(plan.jobs.length * LOADS_PER_TRUCK * 22),
    unitOfMeasure: 'Ton',
    loadUnitOfMeasure: 'Ton',
    jobQuantity: new Decimal(LOADS_PER_TRUCK),
    jobUnitOfMeasure: 'Load',
    requestedQuantityType: 'unit',
    ...(plan.billed ? termsOf(plan.billed, demo.pit) : USUAL_TERMS),
    rejectReason: plan.rejectReason ?? null,
    rejectedBy: plan.rejectReason ? 'Dana Whitfield' : null,
    rejectedAt: plan.rejectReason ? new Date(loadAt.getTime() - 180 * MINUTE) : null,
    routeId: newId(),
    // Orders for next week were placed in the past, too.
    createdAt: new Date(Math.min(loadAt.getTime() - 2 * DAY, now.getTime() - 120 * MINUTE)),
  });
  const [from, to] = haulOf(demo, number);
  build(Waypoint, { companyId: parent.id, routeId: order.routeId, type: 'pickup', ordinality: 0, site: ref(from) });
  build(Waypoint, { companyId: parent.id, routeId: order.routeId, type: 'drop_off', ordinality: 1, site: ref(to) });
  for (const [index] of plan.jobs.entries()) {
    const { job, driver, loads, left, last } = makeJob(build, demo, order, plan, index, clock);
    if (driver && left) (plan.billed?.chained ? chained : worked).push({ order, job, loads, driver, from, to, left, last });
    if (driver) positions.push(...positionsOf(job, driver, [from, to], index, now));
  }
}

/** Where the order of a number is loaded and unloaded. */
function haulOf({ sites }: DemoCompany, number: number): [from: Site, to: Site] {
  const [from, to] = HAULS[number % HAULS.length]!.map((id) => sites.find(({ externalId }) => externalId === id)!);
  return [from!, to!];
}

const USUAL_TERMS: Partial<Order> = {
  ...{ customerRateType: 'RatePerTon', customerRateValue: new Decimal('14.5') },
  ...{ vendorRateType: 'RatePerTon', vendorRateValue: new Decimal('11.25') },
  ...{ taxRate: new Decimal('8.25'), taxMaterial: true },
};

/** The terms of an order whose rates are those of rate cards. */
const termsOf = ({ taxRate, materialPrices }: BilledTerms, pit: Account): Partial<Order> => ({
  ...(taxRate ? { taxRate: new Decimal(taxRate), taxFreight: true, taxMaterial: true } : {}),
  ...(materialPrices ? { ...boughtOf(pit, materialPrices), materialRateItemized: true } : {}),
});
const boughtOf = (pit: Account, { sold, bought }: { sold: string; bought: string }): Partial<Order> => ({
  ...{ materialRateSellPrice: new Decimal(sold), materialRateBuyPrice: new Decimal(bought), materialRateUnitOfMeasure: 'Ton' },
  materialRateSupplierAccount: ref(pit),
});
function makeJob(
  build: Build,
  demo: DemoCompany,
  order: Order,
  plan: PlannedOrder,
  index: number,
  clock: Clock,
): { job: Job; driver: User | undefined; loads: Load[]; left: Date | undefined; last: Date } {
  const state = plan.jobs[index]!;
  const history = historyOf(state, LOADS_PER_TRUCK, plan.billed?.hourlyAndLate);
  const start = new Date(order.loadAt.getTime() + index * order.truckDelay * MINUTE);
  // A haul of next week was prepared in the past.
  const early = Math.max(0, start.getTime() + history.events.at(-1)!.minute * MINUTE - clock.now.getTime());
  const at = (minute: number) => new Date(start.getTime() + minute * MINUTE - early);
  const drivers = plan.billed?.chained ? demo.hired : demo.drivers;
  const driver = history.events.some((event) => event.event === 'JobAssigned') ? drivers[index % drivers.length]! : undefined;
  const tons = plan.billed?.tons;
  const paused = plan.pausedJob === index;
  const job = build(Job, {
    company: order.company,
    order: ref(order),
    project: order.project,
    number: index + 1,
    jobId: `${order.orderId}-${index + 1}`,
    state,
    stateChangedAt: at(history.events.at(-1)!.minute),
    jobStartAt: agreedStart(state, start, plan.day, clock),
    quantity: order.jobQuantity,
    unitOfMeasure: 'Load',
    loadUnitOfMeasure: 'Ton',
    service: order.service,
    material: order.material,
    driver: driver ? ref(driver) : null,
    equipment: driver?.equipment ?? null,
    overridingHours: new Decimal(0),
    requestedLoadsCount: LOADS_PER_TRUCK,
    requestedEquipmentTypeName: demo.equipmentTypes[1]!.name,
    customerRateType: order.customerRateType,
    customerRateValue: order.customerRateValue,
    vendorRateType: order.vendorRateType,
    vendorRateValue: order.vendorRateValue,
    ...materialOf(order),
    foremanIds: order.foremanIds,
    routeId: order.routeId,
    pausedAt: paused ? at(history.events.at(-1)!.minute + PAUSE_AFTER) : null,
    createdAt: order.createdAt,
  });
  const loads = history.loads.map((made, i) => {
    const hasQuantity = made.state !== 'created' && made.state !== 'canceled';
    const quantity = hasQuantity ? weighed(tons ? tons[i] : usual(index + i)) : null;
    return makeLoad(build, { order, job, made, place: i, quantity, at });
  });
  const underWay = loads.find((load) => load.state === state);
  if (paused && underWay) Object.assign(underWay, { state: 'paused', pausedFrom: state, pausedAt: job.pausedAt });
  const author = driver ?? demo.users.find((user) => user.roles.includes('dispatcher'))!;
  noteEvents(build, { job, loads, events: history.events, author, at });
  const departure = history.events.find(({ event }) => event === 'ToPickup');
  return { job, driver, loads, left: departure && at(departure.minute), last: at(history.events.at(-1)!.minute) };
}

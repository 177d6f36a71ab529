import { ref } from '@mikro-orm/core';
import type { User } from '../directory/people/user.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import { JobEvent } from '../dispatch/model/job-event.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import type { Order } from '../dispatch/model/order.entity.ts';
import type { Decimal } from '../platform/decimal.ts';
import type { History } from './history.ts';

/** Makes a record of the demo; it is written with all others. */
export type Build = <T extends object>(type: new () => T, values: Partial<T>) => T;

/** The fields of a job and its loads for their order's price of material. */
export const materialOf = (order: Order) => ({
  ...{ materialSellPrice: order.materialRateSellPrice, materialBuyPrice: order.materialRateBuyPrice },
  ...{ materialRateUnitOfMeasure: order.materialRateUnitOfMeasure, materialRateSupplierAccount: order.materialRateSupplierAccount },
});

interface MadeLoad {
  order: Order;
  job: Job;
  made: History['loads'][number];
  /** Among the loads of its job, from 0. */
  place: number;
  quantity: Decimal | null;
  /** The moment of a minute of the job. */
  at(minute: number): Date;
}

/** Makes a load of a job, with the times that its driver reported. */
export function makeLoad(build: Build, { order, job, made, place, quantity, at }: MadeLoad): Load {
  const load = build(Load, {
    company: order.company,
    job: ref(job),
    orderId: order.id,
    ordinality: place + 1,
    loadId: `${job.jobId}-${place + 1}`,
    state: made.state,
    quantity,
    unitOfMeasure: 'Ton',
    material: order.material,
    ...materialOf(order),
    foremanIds: order.foremanIds,
    routeId: order.routeId,
    createdAt: order.createdAt,
  });
  const stamp = (name: keyof typeof made.stamps) => (made.stamps[name] === undefined ? null : at(made.stamps[name]));
  load.loadSummary.arrivedPickupAt = stamp('arrived_pickup');
  load.loadSummary.loadedAt = stamp('loaded');
  load.loadSummary.arrivedDropoffAt = stamp('arrived_dropoff');
  load.loadSummary.unloadedAt = stamp('unloaded');
  load.loadSummary.loadCompletedAt = stamp('load_completed');
  // Its driver's telephone reported where it was.
  if (made.stamps.load_completed !== undefined && made.stamps.to_pickup !== undefined)
    Object.assign(load.loadSummary, { hasGpsData: true, gpsMinutes: made.stamps.load_completed - made.stamps.to_pickup });
  // A geofence was in doubt about one of those under way.
  load.doubted = made.state === 'loaded' && place === 0;
  return load;
}

/** Notes the timeline of a job. */
export function noteEvents(
  build: Build,
  { job, loads, events, author, at }: Pick<MadeLoad, 'job' | 'at'> & { loads: Load[]; events: History['events']; author: User },
): void {
  for (const event of events) {
    build(JobEvent, {
      companyId: job.company.id,
      job: ref(job),
      loadId: event.load === undefined ? null : loads[event.load]!.id,
      eventName: event.event,
      state: event.state,
      occurredAt: at(event.minute),
      createdAt: at(event.minute),
      createdByType: 'User',
      createdById: author.id,
      createdByName: `${author.firstName} ${author.lastName}`,
    });
  }
}

import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';

/** The permission to see a rate card, by its side (DOMAIN section 2 "Rate visibility"). */
const SEES: Record<RateOwnerType, string> = {
  driver: 'view_driver_rates',
  customer: 'view_customer_rates',
  vendor: 'view_vendor_rates',
};

const seen = (viewer: Viewer): RateOwnerType[] => Object.values(Owners).filter((owner) => viewer.can(SEES[owner]));

/** Returns the condition for the rate cards that the viewer sees: those of each side they may see, and for a driver their own. */
export const visibleRates = (ctx: Context): Where => onSeenSides(ctx, 'owner_type');

/** The same for other records whose column names a side. They have a column `driver_id`, too. */
export function onSeenSides(ctx: Context, column: string): Where {
  return {
    key: 'visible',
    sql: (t, p) => `(${t}.${column} = any(${p}) or (${t}.${column} = 'driver' and 'driver ' || ${t}.driver_id = any(${p})))`,
    cast: 'text[]',
    value: sidesSeenBy(ctx),
    changes: true,
  };
}

/** The sides whose rates the viewer sees, and `driver` with their own id for their own pay. */
export function sidesSeenBy(ctx: Context): string[] {
  const viewer = viewerOf(ctx);
  return [...seen(viewer), ...(viewer.can(`${SEES.driver}:own`) ? [`driver ${viewer.id}`] : [])];
}

/** Whether the viewer sees money of a side. @param driverId the driver whose money it is, who sees their own */
export const seesSide = (viewer: Viewer, side: RateOwnerType, driverId?: string): boolean =>
  viewer.can(SEES[side]) || (side === 'driver' && driverId === viewer.id && viewer.can(`${SEES.driver}:own`));

/** Only somebody who sees a rate card's side may change it. @throws Denied naming the permission to see that side */
export function maySeeSide(ctx: Context, owner: RateOwnerType): void {
  allow(ctx, SEES[owner]);
}

/** @throws Denied if the viewer sees no rate cards at all */
export function maySeeSomeRates(ctx: Context): void {
  const viewer = viewerOf(ctx);
  if (seen(viewer).length === 0 && !viewer.can(`${SEES.driver}:own`)) throw new Denied(SEES.driver);
}

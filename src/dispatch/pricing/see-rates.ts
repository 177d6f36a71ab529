import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';

/** Whose money a card tells, by whom it is for (DOMAIN section 2 "Rate visibility"). */
const SEES: Record<RateOwnerType, string> = {
  driver: 'view_driver_rates',
  customer: 'view_customer_rates',
  vendor: 'view_vendor_rates',
};

const seen = (viewer: Viewer): RateOwnerType[] => Object.values(Owners).filter((owner) => viewer.can(SEES[owner]));

/** The cards a viewer sees: those of each side they may see, and a driver their own. The others are not there. */
export function visibleRates(ctx: Context): Where {
  const viewer = viewerOf(ctx);
  const own = viewer.can(`${SEES.driver}:own`) ? [`driver ${viewer.id}`] : [];
  return {
    key: 'visible',
    sql: (t, p) => `(${t}.owner_type = any(${p}) or (${t}.owner_type = 'driver' and 'driver ' || ${t}.driver_id = any(${p})))`,
    cast: 'text[]',
    value: [...seen(viewer), ...own],
  };
}

/** Who keeps a card sees what is on it. @throws Denied naming the permission to see that side */
export function maySeeSide(ctx: Context, owner: RateOwnerType): void {
  allow(ctx, SEES[owner]);
}

/** @throws Denied for somebody who sees no card at all */
export function maySeeSomeRates(ctx: Context): void {
  const viewer = viewerOf(ctx);
  if (seen(viewer).length === 0 && !viewer.can(`${SEES.driver}:own`)) throw new Denied(SEES.driver);
}

import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Order } from '../model/order.entity.ts';
import type { OrderState } from '../model/states.ts';

/** States in which `edit_order_pre_accept` permits changes (DOMAIN 1.1). */
const BEFORE_ACCEPTANCE: readonly OrderState[] = ['created', 'pending_request', 'rejected'];

const OF_OWNER = 'permission_of_owning_company';

/** An order counts as somebody's own if they requested it or are its foreman. */
const isOwnOrder = (viewer: Viewer, order: Order): boolean => order.requester?.id === viewer.id || order.foremanIds.includes(viewer.id);

const grants = (viewer: Viewer, permission: string, own: boolean): boolean =>
  viewer.can(permission) || (own && viewer.can(`${permission}:own`));

/** A vendor sees the order that its work is part of, but only the customer's side may change it. */
export const isOwnersSide = (viewer: Viewer, order: Order): boolean => viewer.companyIds.includes(order.company.id);

/** @throws Denied unless the viewer may create orders */
export function mayCreateOrder(ctx: Context): Viewer {
  const viewer = viewerOf(ctx);
  if (!grants(viewer, 'create_order', true)) throw denial(viewer, 'create_order');
  return viewer;
}

/** Creating the jobs of an order for a driver or vendor counts as assigning them. @throws Denied */
export function mayAssignNew(ctx: Context): Viewer {
  const viewer = viewerOf(ctx);
  if (!grants(viewer, 'assign_job', true)) throw denial(viewer, 'assign_job');
  return viewer;
}

/** @throws Denied unless the viewer may create another order like this one */
export function mayCopyOrder(ctx: Context, order: Order): Viewer {
  const viewer = mayCreateOrder(ctx);
  if (!isOwnersSide(viewer, order)) throw new Denied('create_order', OF_OWNER);
  return viewer;
}

/** @throws Denied unless the viewer may change this order in its present state */
export function mayEditOrder(ctx: Context, order: Order): Viewer {
  const viewer = viewerOf(ctx);
  const own = isOwnOrder(viewer, order);
  if (!isOwnersSide(viewer, order)) throw new Denied('edit_order', OF_OWNER);
  if (grants(viewer, 'edit_order', own)) return viewer;
  const early = 'edit_order_pre_accept';
  if (grants(viewer, early, own)) {
    if (BEFORE_ACCEPTANCE.includes(order.state)) return viewer;
    throw new Denied('edit_order', 'permission_before_acceptance');
  }
  if (viewer.can(`${early}:own`)) throw denial(viewer, early);
  throw denial(viewer, 'edit_order');
}

/** Events of an order require `edit_order` (DOMAIN 1.1). @throws Denied */
export function mayMoveOrder(ctx: Context, order: Order): Viewer {
  const viewer = viewerOf(ctx);
  if (!isOwnersSide(viewer, order)) throw new Denied('edit_order', OF_OWNER);
  if (!grants(viewer, 'edit_order', isOwnOrder(viewer, order))) throw denial(viewer, 'edit_order');
  return viewer;
}

/**
 * Returns the SQL condition that an order is at one of the sites: the order, one of its jobs or one of its loads stops there. Jobs, loads,
 * tickets and files are visible with their order, because a command that changes an order changes all of its jobs, no matter who hauls
 * them.
 * @param o alias of an order
 * @param p uuid[] parameter with the sites
 */
export const orderAtSites = (o: string, p: string): string => `(
  exists (select 1 from waypoint w where w.route_id = ${o}.route_id and w.site_id = any(${p}))
  or exists (select 1 from job wj join waypoint w on w.route_id = wj.route_id where wj.order_id = ${o}.id and w.site_id = any(${p}))
  or exists (select 1 from load wl join waypoint w on w.route_id = wl.route_id where wl.order_id = ${o}.id and w.site_id = any(${p})))`;

/** The same condition for the id of an order. */
export const ofOrderAtSites = (orderId: string, p: string): string =>
  `exists (select 1 from orders wo where wo.id = ${orderId} and ${orderAtSites('wo', p)})`;

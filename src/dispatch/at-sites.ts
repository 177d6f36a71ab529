import { FileAttachment } from '../files/file-attachment.entity.ts';
import { limitBySites, passOn } from '../platform/read/decorators.ts';
import { Job } from './job.entity.ts';
import { Load } from './load.entity.ts';
import { Order } from './order.entity.ts';
import { toldToVendor } from './passed-on.ts';

/**
 * An order is at a site when it, one of its jobs or one of its loads stops there. Jobs, loads, tickets and files are seen with their
 * order: a command that changes an order meets all of its jobs, whoever runs it.
 * @param o alias of an order
 * @param p uuid[] parameter with the sites
 */
export const orderAtSites = (o: string, p: string): string => `(
  exists (select 1 from waypoint w where w.route_id = ${o}.route_id and w.site_id = any(${p}))
  or exists (select 1 from job wj join waypoint w on w.route_id = wj.route_id where wj.order_id = ${o}.id and w.site_id = any(${p}))
  or exists (select 1 from load wl join waypoint w on w.route_id = wl.route_id where wl.order_id = ${o}.id and w.site_id = any(${p})))`;

/** Likewise by the id of an order. */
export const ofOrderAtSites = (orderId: string, p: string): string =>
  `exists (select 1 from orders wo where wo.id = ${orderId} and ${orderAtSites('wo', p)})`;

limitBySites(Order, orderAtSites);
limitBySites(Job, (t, p) => ofOrderAtSites(`${t}.order_id`, p));
limitBySites(Load, (t, p) => ofOrderAtSites(`${t}.order_id`, p));

/** The job that a file is about: its own, or its load's. */
const jobOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Job' then ${t}.file_attachable_id when 'Load' then (select fl.job_id from load fl where fl.id = ${t}.file_attachable_id) end`;
const orderOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Order' then ${t}.file_attachable_id else (select fj.order_id from job fj where fj.id = ${jobOfFile(t)}) end`;

limitBySites(
  FileAttachment,
  (t, p) => `(${t}.file_attachable_type not in ('Order', 'Job', 'Load') or ${ofOrderAtSites(`(${orderOfFile(t)})`, p)})`,
);
// Whoever hauls a job reads what is attached to it and adds to it; the order's and the project's files stay its owner's.
passOn(
  FileAttachment,
  (t, p) => `(${t}.file_attachable_type in ('Job', 'Load') and ${toldToVendor(`(${jobOfFile(t)})`, `${t}.uploaded_by_company_id`, p)})`,
);

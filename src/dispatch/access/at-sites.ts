import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import { declareSubcontracted, restrictToSites } from '../../platform/model/decorators.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { visibleToVendor } from './subcontracted.ts';

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

/** Types of records that are at no site. Everybody who may read the audit log reads the entries about them. */
const AT_NO_SITE = ['Account', 'Company', 'Department', 'Equipment', 'EquipmentType', 'IamRole', 'Label', 'M2MClient', 'Material', 'Rate']
  .concat(['Service', 'ServiceClass', 'TimeOff', 'User', 'UserSession'])
  .map((type) => `'${type}'`);
const ofJobAtSites = (jobId: string, p: string): string =>
  `exists (select 1 from job wj where wj.id = ${jobId} and ${ofOrderAtSites('wj.order_id', p)})`;
restrictToSites(
  AuditEntry,
  (t, p) => `case ${t}.subject_type when 'Site' then ${t}.subject_id = any(${p})
    when 'Order' then ${ofOrderAtSites(`${t}.subject_id`, p)}
    when 'Job' then ${ofJobAtSites(`${t}.subject_id`, p)}
    when 'Load' then exists (select 1 from load al where al.id = ${t}.subject_id and ${ofOrderAtSites('al.order_id', p)})
    when 'Ticket' then exists (select 1 from ticket ak where ak.id = ${t}.subject_id and ${ofOrderAtSites('ak.order_id', p)})
    else ${t}.subject_type in (${AT_NO_SITE.join(', ')}) end`,
);
restrictToSites(Order, orderAtSites);
restrictToSites(Job, (t, p) => ofOrderAtSites(`${t}.order_id`, p));
restrictToSites(Load, (t, p) => ofOrderAtSites(`${t}.order_id`, p));

/** The job that a file is about: the file is attached to it or to one of its loads. */
const jobOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Job' then ${t}.file_attachable_id when 'Load' then (select fl.job_id from load fl where fl.id = ${t}.file_attachable_id) end`;
const orderOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Order' then ${t}.file_attachable_id else (select fj.order_id from job fj where fj.id = ${jobOfFile(t)}) end`;

restrictToSites(
  FileAttachment,
  (t, p) => `(${t}.file_attachable_type not in ('Order', 'Job', 'Load') or ${ofOrderAtSites(`(${orderOfFile(t)})`, p)})`,
);
// A company that hauls a job reads the files of that job and adds some. The files of the order and the project stay with the owner.
declareSubcontracted(
  FileAttachment,
  (t, p) => `(${t}.file_attachable_type in ('Job', 'Load') and ${visibleToVendor(`(${jobOfFile(t)})`, `${t}.uploaded_by_company_id`, p)})`,
);

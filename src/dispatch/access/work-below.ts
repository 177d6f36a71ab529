import { Account } from '../../directory/accounts/account.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';

/** The work of people, trucks, customers and sites, as lists below them: of the work that the reader sees anyway, whoever the
 * record belongs to. What work keeps from other companies (its customer, its further trucks) finds only the reader's own. */
export const workBelow = [
  extendEntity(User, { jobs: { paged: () => Job, on: (job, user) => `${job}.driver_id = ${user}.id` } }),
  extendEntity(Equipment, {
    jobs: {
      paged: () => Job,
      on: (job, truck, companies) =>
        `(${job}.equipment_id = ${truck}.id or (${truck}.id = any(${job}.additional_equipment_ids) and ${job}.company_id = any(${companies})))`,
    },
  }),
  extendEntity(Account, {
    orders: {
      paged: () => Order,
      on: (order, account, companies) => `${order}.account_id = ${account}.id and ${order}.company_id = any(${companies})`,
    },
  }),
  extendEntity(Site, {
    loads: {
      paged: () => Load,
      on: (load, site) => `${load}.route_id in (select w.route_id from waypoint w where w.site_id = ${site}.id)`,
    },
  }),
];

export const workBelowAccess = [
  defineAccess(User, { partnerFields: { passed: ['jobs'] } }),
  defineAccess(Equipment, { partnerFields: { passed: ['jobs'] } }),
  defineAccess(Account, { partnerFields: { passed: ['orders'] } }),
  defineAccess(Site, { partnerFields: { passed: ['loads'] } }),
];

import {
  amount,
  byChange,
  byQuantity,
  defineFilters,
  defineSearch,
  defineSorts,
  type FilterSpec,
  flag,
  span,
  without,
} from '../../platform/read/grammar.ts';
import { endOfDay, startOfDay } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { isFlaggedTicket, isToReview, Load } from '../model/load.entity.ts';

const among = (column: string, cast = 'uuid[]'): FilterSpec => ({ sql: (t, p) => `${t}.${column} = any(${p})`, cast });
const overlap = (column: string): FilterSpec => ({ sql: (t, p) => `${t}.${column} && ${p}`, cast: 'uuid[]' });
const atSite = (type: string): FilterSpec => ({
  sql: (t, p) => `exists (select 1 from waypoint w where w.route_id = ${t}.route_id and w.type = '${type}' and w.site_id = any(${p}))`,
  cast: 'uuid[]',
});
const ofOrder = (condition: (p: string) => string): FilterSpec => ({
  sql: (t, p) => `exists (select 1 from orders o where o.id = ${t}.order_id and ${condition(p)})`,
  cast: 'uuid[]',
});

/**
 * Jobs that the reader's companies passed on to these accounts. Whom another company of the chain passed a job on to is that company's alone,
 * also for somebody who knows the id of its account.
 */
export const subcontractedTo = (jobId: string, accounts: string, companies: () => string): string =>
  `exists (select 1 from job_assignment a where a.job_id = ${jobId} and a.vendor_account_id = any(${accounts}) and a.customer_company_id = any(${companies()}))`;

export const jobFilters = defineFilters(Job, {
  ids: among('id'),
  states: among('state', 'text[]'),
  startDate: { sql: (t, p) => `${t}.job_start_at >= ${p}`, cast: 'timestamptz', value: startOfDay },
  endDate: { sql: (t, p) => `${t}.job_start_at < ${p}`, cast: 'timestamptz', value: endOfDay },
  projectIds: among('project_id'),
  driverIds: among('driver_id'),
  materialIds: among('material_id'),
  serviceIds: among('service_id'),
  equipmentIds: among('equipment_id'),
  companyIds: among('company_id'),
  // Integrators know jobs by their order's external id: no operation gives a job one of its own.
  externalIds: {
    sql: (t, p) => `exists (select 1 from orders xo where xo.id = ${t}.order_id and xo.external_id = any(${p}))`,
    cast: 'text[]',
  },
  foremanIds: overlap('foreman_ids'),
  collaboratorIds: overlap('collaborator_ids'),
  salespersonIds: overlap('salesperson_ids'),
  pickupSiteIds: atSite('pickup'),
  dropoffSiteIds: atSite('drop_off'),
  siteTypes: {
    sql: (t, p) =>
      `exists (select 1 from waypoint w join site s on s.id = w.site_id where w.route_id = ${t}.route_id and s.site_type = any(${p}))`,
    cast: 'text[]',
  },
  vendorAccountIds: { sql: (t, p, _limits, companies) => subcontractedTo(`${t}.id`, p, companies), cast: 'uuid[]' },
  customerAccountIds: ofOrder((p) => `o.account_id = any(${p})`),
  ...span('jobStartAt', (t) => `${t}.job_start_at`),
  ...amount('quantity', (t) => `${t}.quantity`),
  without: without({
    driver: (t) => `${t}.driver_id is null`,
    vendor: (t) => `not exists (select 1 from job_assignment a where a.job_id = ${t}.id and a.vendor_account_id is not null)`,
    equipment: (t) => `${t}.equipment_id is null`,
    material: (t) => `${t}.material_id is null`,
    project: (t) => `${t}.project_id is null`,
    quantity: (t) => `${t}.quantity is null`,
  }),
  'order.dispatchNumberIds': ofOrder((p) => `o.dispatch_number_id = any(${p})`),
});

const nameOfDriver = (t: string): string => `lower(coalesce(${t}_driver.last_name || ' ' || ${t}_driver.first_name, ''))`;

export const jobSorts = defineSorts(Job, {
  jobStartAt: { sql: (t) => `${t}.job_start_at`, cast: 'timestamptz' },
  priority: { sql: (t) => `${t}.priority`, cast: 'int' },
  ...byChange,
  ...byQuantity,
  driverName: {
    sql: nameOfDriver,
    join: (t) => `left join app_user ${t}_driver on ${t}_driver.id = ${t}.driver_id`,
    cast: 'text',
  },
});

const CONTACTS = ['sales', 'foreman', 'supervisor', 'collaborator'];
/**
 * Each contact is compared by an equality of its own, so that PostgreSQL may read the contacts once instead of once for each job (`k.id in
 * (...)` took two thirds of a search through 50,000 jobs). If no job has such a contact, none is read.
 */
export const ofContact = (id: string, p: string): string =>
  `(${id} is not null and exists (select 1 from contact k where k.id = ${id} and (k.name ilike ${p} or k.email ilike ${p} or k.phone ilike ${p})))`;

/** DOMAIN section 7: order_id, job_id, company, account, project, dispatch number, driver, the four contacts. */
export const jobSearch = defineSearch(
  Job,
  (t, p) => `${t}.job_id ilike ${p}
    or exists (select 1 from app_user u where u.id = ${t}.driver_id and (u.first_name ilike ${p} or u.last_name ilike ${p}))
    or exists (select 1 from project pr where pr.id = ${t}.project_id and pr.name ilike ${p})
    or exists (select 1 from company c where c.id = ${t}.company_id and c.legal_name ilike ${p})
    or exists (select 1 from orders o left join account a on a.id = o.account_id left join dispatch_number d on d.id = o.dispatch_number_id
               where o.id = ${t}.order_id and (o.order_id ilike ${p} or a.name ilike ${p} or d.name ilike ${p}))
    or ${CONTACTS.map((name) => ofContact(`${t}.${name}_contact_id`, p)).join(' or ')}`,
);

const ofJob = (condition: (p: string) => string, cast = 'uuid[]'): FilterSpec => ({
  sql: (t, p) => `exists (select 1 from job j where j.id = ${t}.job_id and ${condition(p)})`,
  cast,
});

// Found by the indexes of loads that somebody should look at and of flagged tickets, however many loads there are.
const toReview = (t: string, companies: () => string) => `${t}.state <> 'canceled' and ${t}.id = any(array(
  select l.id from load l where ${isToReview('l')} and l.company_id = any(${companies()})
  union all select k.load_id from ticket k where ${isFlaggedTicket('k')} and k.company_id = any(${companies()})))`;

export const loadFilters = defineFilters(Load, {
  states: among('state', 'text[]'),
  materialIds: among('material_id'),
  /** Compared with the day of the job. */
  startDate: { ...ofJob((p) => `j.job_start_at >= ${p}`, 'timestamptz'), value: startOfDay },
  endDate: { ...ofJob((p) => `j.job_start_at < ${p}`, 'timestamptz'), value: endOfDay },
  /** Loads whose ticket was flagged by a person or its review; false for the others (SPEC "flagged or unflagged tickets"). */
  'ticket.flagged': {
    sql: (t, p) =>
      `(exists (select 1 from ai_review r where r.load_id = ${t}.id and r.status = 'flagged') or exists (select 1 from ticket k where k.load_id = ${t}.id and k.flagged)) = ${p}`,
    cast: 'boolean',
  },
  'ticket.ids': {
    sql: (t, p) => `exists (select 1 from ticket k where k.load_id = ${t}.id and k.id = any(${p}))`,
    cast: 'uuid[]',
  },
  'ticket.ticketNumbers': {
    sql: (t, p) => `exists (select 1 from ticket k where k.load_id = ${t}.id and k.ticket_number = any(${p}))`,
    cast: 'text[]',
  },
  driverIds: ofJob((p) => `j.driver_id = any(${p})`),
  siteIds: {
    sql: (t, p) => `exists (select 1 from waypoint w where w.route_id = ${t}.route_id and w.site_id = any(${p}))`,
    cast: 'uuid[]',
  },
  ...flag('needsReview', toReview),
  ...span('unloadedAt', (t) => `${t}.summary_unloaded_at`),
  ...span('completedAt', (t) => `${t}.summary_load_completed_at`),
  ...amount('quantity', (t) => `${t}.quantity`),
  without: without({
    ticket: (t) => `not exists (select 1 from ticket k where k.load_id = ${t}.id)`,
    material: (t) => `${t}.material_id is null`,
    quantity: (t) => `${t}.quantity is null`,
    unloadedAt: (t) => `${t}.summary_unloaded_at is null`,
    completedAt: (t) => `${t}.summary_load_completed_at is null`,
    driver: (t) => `exists (select 1 from job j where j.id = ${t}.job_id and j.driver_id is null)`,
  }),
  'job.driverIds': ofJob((p) => `j.driver_id = any(${p})`),
  'job.states': ofJob((p) => `j.state = any(${p})`, 'text[]'),
  'job.materialIds': ofJob((p) => `j.material_id = any(${p})`),
  'job.pickupSiteIds': ofJob(
    (p) => `exists (select 1 from waypoint w where w.route_id = j.route_id and w.type = 'pickup' and w.site_id = any(${p}))`,
  ),
  'job.dropoffSiteIds': ofJob(
    (p) => `exists (select 1 from waypoint w where w.route_id = j.route_id and w.type = 'drop_off' and w.site_id = any(${p}))`,
  ),
  'job.vendorAccountIds': { sql: (t, p, _limits, companies) => subcontractedTo(`${t}.job_id`, p, companies), cast: 'uuid[]' },
});

/** A load without the time is the earliest, so that every row has a place among the others. */
const orEarliest = (column: string) => (t: string) => `coalesce(${t}.${column}, '-infinity'::timestamptz)`;

export const loadSorts = defineSorts(Load, {
  ...byChange,
  ...byQuantity,
  unloadedAt: { sql: orEarliest('summary_unloaded_at'), cast: 'timestamptz' },
  completedAt: { sql: orEarliest('summary_load_completed_at'), cast: 'timestamptz' },
  driverName: {
    sql: nameOfDriver,
    join: (t) =>
      `left join job ${t}_job on ${t}_job.id = ${t}.job_id left join app_user ${t}_driver on ${t}_driver.id = ${t}_job.driver_id`,
    cast: 'text',
  },
  pickupSiteName: {
    sql: (t) =>
      `lower(coalesce((select s.name from waypoint w join site s on s.id = w.site_id where w.route_id = ${t}.route_id and w.type = 'pickup' order by w.ordinality limit 1), ''))`,
    cast: 'text',
  },
  ticketNumber: {
    sql: (t) =>
      `coalesce((select k.ticket_number from ticket k where k.load_id = ${t}.id order by k.created_at desc, k.id desc limit 1), '')`,
    cast: 'text',
  },
});

export const loadSearch = defineSearch(Load, (t, p) => `${t}.load_id ilike ${p}`);

export const jobEventSorts = defineSorts(JobEvent, { occurredAt: { sql: (t) => `${t}.occurred_at`, cast: 'timestamptz' } });

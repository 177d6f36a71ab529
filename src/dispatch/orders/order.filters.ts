import { departments } from '../../directory/master-data/department-filter.ts';
import {
  type Around,
  amount,
  byChange,
  byQuantity,
  defineFilters,
  defineSearch,
  defineSearchText,
  defineSorts,
  type FilterSpec,
  grammarOf,
  jointly,
  NO_COMPANIES,
  span,
  termsOf,
  without,
} from '../../platform/read/grammar.ts';
import { subcontractedTo } from '../jobs/job.filters.ts';
import { endOfDay, startOfDay } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';

const among = (column: string, cast = 'uuid[]'): FilterSpec => ({ sql: (t, p) => `${t}.${column} = any(${p})`, cast });
const overlap = (column: string): FilterSpec => ({ sql: (t, p) => `${t}.${column} && ${p}`, cast: 'uuid[]' });
/** Orders by one of their jobs. */
export const withJob: Around = (t, condition, limits) =>
  `exists (select 1 from job j where j.order_id = ${t}.id and ${condition}${limits(Job, 'j')})`;
/** Orders with one job that meets all of `filter[job][...]`. */
const ofJob = (condition: (p: string, companies: () => string) => string, cast = 'uuid[]', value?: FilterSpec['value']): FilterSpec =>
  jointly(withJob, condition, cast, value);
const atSite = (route: string, type: string) => (p: string) =>
  `exists (select 1 from waypoint w where w.route_id = ${route} and w.type = '${type}' and w.site_id = any(${p}))`;

/** The filters of orders; those on their jobs begin with `job.`. */
export const ORDER_FILTERS: Record<string, FilterSpec> = {
  ids: among('id'),
  states: among('state', 'text[]'),
  startDate: { sql: (t, p) => `${t}.load_at >= ${p}`, cast: 'timestamptz', value: startOfDay },
  endDate: { sql: (t, p) => `${t}.load_at < ${p}`, cast: 'timestamptz', value: endOfDay },
  ...span('loadAt', (t) => `${t}.load_at`),
  ...amount('quantity', (t) => `${t}.quantity`),
  without: without({
    project: (t) => `${t}.project_id is null`,
    name: (t) => `${t}.name is null`,
    externalId: (t) => `${t}.external_id is null`,
    dispatchNumber: (t) => `${t}.dispatch_number_id is null`,
    department: (t) => `${t}.department_id is null`,
    requester: (t) => `${t}.requester_id is null`,
    material: (t) => `${t}.material_id is null`,
    quantity: (t) => `${t}.quantity is null`,
    equipment: (t) => `${t}.equipment_id is null`,
    equipmentType: (t) => `${t}.equipment_type_id is null`,
    jobStartAt: (t) => `${t}.job_start_at is null`,
  }),
  accountIds: among('account_id'),
  requesterIds: among('requester_id'),
  foremanIds: overlap('foreman_ids'),
  collaboratorIds: overlap('collaborator_ids'),
  salespersonIds: overlap('salesperson_ids'),
  departmentIds: departments,
  equipmentTypeIds: among('equipment_type_id'),
  dispatchNumberIds: among('dispatch_number_id'),
  projectIds: among('project_id'),
  externalIds: among('external_id', 'text[]'),
  'job.states': ofJob((p) => `j.state = any(${p})`, 'text[]'),
  'job.startDate': ofJob((p) => `j.job_start_at >= ${p}`, 'timestamptz', startOfDay),
  'job.endDate': ofJob((p) => `j.job_start_at < ${p}`, 'timestamptz', endOfDay),
  'job.customerAccountIds': { sql: (t, p) => `${t}.account_id = any(${p})`, cast: 'uuid[]' },
  'job.vendorAccountIds': ofJob((p, companies) => subcontractedTo('j.id', p, companies)),
  'job.driverIds': ofJob((p) => `j.driver_id = any(${p})`),
  'job.pickupSiteIds': ofJob(atSite('j.route_id', 'pickup')),
  'job.dropoffSiteIds': ofJob(atSite('j.route_id', 'drop_off')),
  'job.equipmentIds': ofJob((p) => `j.equipment_id = any(${p})`),
  'job.materialIds': ofJob((p) => `j.material_id = any(${p})`),
  'job.projectIds': ofJob((p) => `j.project_id = any(${p})`),
  'job.serviceIds': ofJob((p) => `j.service_id = any(${p})`),
  'job.companyIds': ofJob((p) => `j.company_id = any(${p})`),
  'job.externalIds': { sql: (t, p) => `${t}.external_id = any(${p})`, cast: 'text[]' },
  'job.siteTypes': ofJob(
    (p) => `exists (select 1 from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id and s.site_type = any(${p}))`,
    'text[]',
  ),
  'job.foremanIds': ofJob((p) => `j.foreman_ids && ${p}`),
  'job.collaboratorIds': ofJob((p) => `j.collaborator_ids && ${p}`),
  'job.salespersonIds': ofJob((p) => `j.salesperson_ids && ${p}`),
  /** `search[job][datagrid]`: one of the order's jobs contains all the words. */
  'job.words': ofJob(
    (p) => `not exists (select 1 from unnest(${p}) word where not coalesce(${grammarOf(Job).search!('j', 'word', NO_COMPANIES)}, false))`,
    'text[]',
    (given) => termsOf(String(given), { model: 'Job', field: 'search.job.datagrid' }),
  ),
};
export const orderFilters = defineFilters(Order, ORDER_FILTERS);

export const orderSorts = defineSorts(Order, {
  ...byChange,
  ...byQuantity,
  loadAt: { sql: (t) => `${t}.load_at`, cast: 'timestamptz' },
  friendlyOrderId: { sql: (t) => `${t}.number`, cast: 'int' },
  'dispatchNumber.name': {
    sql: (t) => `lower(coalesce(${t}_number.name, ''))`,
    join: (t) => `left join dispatch_number ${t}_number on ${t}_number.id = ${t}.dispatch_number_id`,
    cast: 'text',
  },
  'account.name': {
    sql: (t) => `lower(coalesce(${t}_account.name, ''))`,
    join: (t) => `left join account ${t}_account on ${t}_account.id = ${t}.account_id`,
    cast: 'text',
  },
  'company.legalName': {
    sql: (t) => `lower(coalesce(${t}_company.legal_name, ''))`,
    join: (t) => `left join company ${t}_company on ${t}_company.id = ${t}.company_id`,
    cast: 'text',
  },
});

/** DOMAIN section 7: company, account, project name, order_id, project_external_id, dispatch_number; and the order's own name and external id. */
export const orderSearch = defineSearch(
  Order,
  (t, p) => `${t}.order_id ilike ${p} or ${t}.external_id ilike ${p} or ${t}.name ilike ${p}
    or exists (select 1 from account a where a.id = ${t}.account_id and a.name ilike ${p})
    or exists (select 1 from project pr where pr.id = ${t}.project_id and (pr.name ilike ${p} or pr.external_id ilike ${p}))
    or exists (select 1 from dispatch_number d where d.id = ${t}.dispatch_number_id and d.name ilike ${p})
    or exists (select 1 from company c where c.id = ${t}.company_id and c.legal_name ilike ${p})`,
);

export const projectFilters = defineFilters(Project, {
  states: among('state', 'text[]'),
  requesterIds: among('requester_id'),
  externalIds: among('external_id', 'text[]'),
  accountIds: among('account_id'),
  accountId: { sql: (t, p) => `${t}.account_id = ${p}`, cast: 'uuid' },
  departmentIds: departments,
  dispatchNumberIds: among('dispatch_number_id'),
  poJobNumbers: among('po_job_number', 'text[]'),
  serviceClassIds: among('service_class_id'),
  equipmentTypeIds: among('equipment_type_id'),
  foremanIds: overlap('foreman_ids'),
  collaboratorIds: overlap('collaborator_ids'),
  salespersonIds: overlap('salesperson_ids'),
  pickupSiteIds: { sql: (t, p) => atSite(`${t}.route_id`, 'pickup')(p), cast: 'uuid[]' },
  dropoffSiteIds: { sql: (t, p) => atSite(`${t}.route_id`, 'drop_off')(p), cast: 'uuid[]' },
});

/** DOMAIN section 7: name, po_job_number, project_id, company, account, external_id. */
export const projectSearch = defineSearch(
  Project,
  (t, p) => `${t}.search_text like fold(${p}) or fold(${t}.po_job_number) like fold(${p}) or ${t}.project_id ilike ${p}
    or exists (select 1 from account a where a.id = ${t}.account_id and fold(a.name) like fold(${p}))
    or exists (select 1 from company c where c.id = ${t}.company_id and fold(c.legal_name) like fold(${p}))`,
);
/** SPEC "GET /v1/projects/typeahead": matches name or external_id. */
export const projectSearchText = defineSearchText(Project, 'project');
export const projectSorts = defineSorts(Project, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });

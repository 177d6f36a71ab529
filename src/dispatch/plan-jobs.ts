import type { EntityManager } from '@mikro-orm/postgresql';
import { insertRows } from '../platform/database/sql.ts';
import { newId } from '../platform/ids.ts';
import type { JobState } from './states.ts';

const MINUTE = 60_000;
/** SPEC Limits: loads per truck. */
const MOST_LOADS = 25;

/** What planning needs to know of an order; values as they go into columns (decimals as text, ids as text). */
export interface OrderFacts {
  id: string;
  companyId: string;
  /** The friendly number. */
  orderId: string;
  routeId: string;
  projectId?: string | null;
  loadAt: Date;
  jobStartAt?: Date | null;
  /** Minutes between groups of trucks. */
  truckDelay: number;
  trucksPerDelay: number;
  loadsPerTruck?: number | null;
  jobQuantity?: string | null;
  jobUnitOfMeasure?: string | null;
  loadUnitOfMeasure?: string | null;
  unitOfMeasure?: string | null;
  jobNotes?: string | null;
  serviceId?: string | null;
  serviceClassId?: string | null;
  materialId?: string | null;
  equipmentId?: string | null;
  equipmentTypeName?: string | null;
  equipmentTypeGrossCapacity?: string | null;
  equipmentTypeGrossCapacityUnitOfMeasure?: string | null;
  recurringLoads: boolean;
  jobTime?: number | null;
  phaseId?: string | null;
  foremanIds: readonly string[];
  collaboratorIds: readonly string[];
  salespersonIds: readonly string[];
  contacts?: Partial<Record<'sales' | 'foreman' | 'supervisor' | 'collaborator', string | null>>;
  /** Rate columns, by column name. */
  rates?: Record<string, string | null>;
  material?: { sellPrice?: string | null; buyPrice?: string | null; unitOfMeasure?: string | null; siteId?: string | null };
  /** Jobs go to this driver (SPEC: then a vendor is ignored). */
  driver?: { id: string; equipmentId?: string | null };
  vendor?: { accountId: string; companyId?: string | null };
}

/** Rows for the tables, by column name. */
export interface PlannedWork {
  jobs: Record<string, unknown>[];
  loads: Record<string, unknown>[];
  events: Record<string, unknown>[];
  assignments: Record<string, unknown>[];
}

export interface Author {
  type: string;
  id: string | null;
  name: string | null;
}

/** Loads of a job: as asked; omitted it is 1 for jobs measured in loads, otherwise the job quantity (SPEC `loads_per_truck`); 1 to 25. */
export function loadsPerJob(facts: Pick<OrderFacts, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'>): number {
  const asked = facts.loadsPerTruck ?? (facts.jobUnitOfMeasure === 'Load' ? 1 : Math.ceil(Number(facts.jobQuantity ?? 1)));
  return Math.min(MOST_LOADS, Math.max(1, Number.isFinite(asked) ? asked : 1));
}

/** Start of the i-th truck, i from 0: groups of `trucksPerDelay` leave `truckDelay` minutes apart (DOMAIN 1.1 "Start stagger"). */
export function startOfTruck(facts: Pick<OrderFacts, 'loadAt' | 'jobStartAt' | 'truckDelay' | 'trucksPerDelay'>, index: number): Date {
  const first = facts.jobStartAt ?? facts.loadAt;
  return new Date(first.getTime() + Math.floor(index / Math.max(1, facts.trucksPerDelay)) * facts.truckDelay * MINUTE);
}

/** The jobs and loads of an order, as rows. Pure, but for new ids. */
export function planJobs(facts: OrderFacts, plan: { firstNumber: number; count: number; now: Date; by: Author }): PlannedWork {
  const work: PlannedWork = { jobs: [], loads: [], events: [], assignments: [] };
  const stamps = { created_at: plan.now.toISOString(), updated_at: plan.now.toISOString() };
  const state: JobState = facts.driver || facts.vendor ? 'assigned' : 'created';
  const count = loadsPerJob(facts);
  for (let i = 0; i < plan.count; i++) {
    const number = plan.firstNumber + i;
    const jobId = newId();
    const friendly = `${facts.orderId}-${number}`;
    const shared = { ...stamps, company_id: facts.companyId, material_id: facts.materialId ?? null, phase_id: facts.phaseId ?? null };
    const material = {
      material_sell_price: facts.material?.sellPrice ?? null,
      material_buy_price: facts.material?.buyPrice ?? null,
      material_rate_unit_of_measure: facts.material?.unitOfMeasure ?? null,
      material_rate_site_id: facts.material?.siteId ?? null,
    };
    work.jobs.push({
      id: jobId,
      ...shared,
      ...material,
      ...facts.rates,
      order_id: facts.id,
      project_id: facts.projectId ?? null,
      number,
      job_id: friendly,
      state,
      state_changed_at: state === 'created' ? null : plan.now.toISOString(),
      job_start_at: startOfTruck(facts, number - 1).toISOString(),
      notes: facts.jobNotes ?? null,
      quantity: facts.jobQuantity ?? null,
      unit_of_measure: facts.jobUnitOfMeasure ?? null,
      load_unit_of_measure: facts.loadUnitOfMeasure ?? facts.unitOfMeasure ?? null,
      service_id: facts.serviceId ?? null,
      service_class_id: facts.serviceClassId ?? null,
      equipment_id: facts.driver?.equipmentId ?? facts.equipmentId ?? null,
      driver_id: facts.driver?.id ?? null,
      priority: 0,
      billable_hours: '0',
      billable_hours_overridden: false,
      requested_equipment_type_name: facts.equipmentTypeName ?? null,
      requested_loads_count: count,
      equipment_type_gross_capacity: facts.equipmentTypeGrossCapacity ?? null,
      equipment_type_gross_capacity_unit_of_measure: facts.equipmentTypeGrossCapacityUnitOfMeasure ?? null,
      recurring_loads: facts.recurringLoads,
      job_time: facts.jobTime ?? null,
      foreman_ids: facts.foremanIds,
      collaborator_ids: facts.collaboratorIds,
      salesperson_ids: facts.salespersonIds,
      sales_contact_id: facts.contacts?.sales ?? null,
      foreman_contact_id: facts.contacts?.foreman ?? null,
      supervisor_contact_id: facts.contacts?.supervisor ?? null,
      collaborator_contact_id: facts.contacts?.collaborator ?? null,
      additional_equipment_ids: [],
      times_editable: false,
      driver_require_all_permissions: false,
      biller_approved: false,
      company_admin_approved: false,
      driver_approved: false,
      foreman_approved: false,
      route_id: facts.routeId,
      version: 1,
    });
    for (let ordinality = 1; ordinality <= count; ordinality++) {
      work.loads.push({
        id: newId(),
        ...shared,
        ...material,
        job_id: jobId,
        order_id: facts.id,
        ordinality,
        load_id: `${friendly}-${ordinality}`,
        state: 'created',
        paused_seconds: 0,
        quantity: null,
        unit_of_measure: facts.loadUnitOfMeasure ?? facts.unitOfMeasure ?? null,
        foreman_ids: facts.foremanIds,
        biller_approved: false,
        company_admin_approved: false,
        driver_approved: false,
        foreman_approved: false,
        summary_gps_minutes: 0,
        summary_has_gps_data: false,
        route_id: facts.routeId,
        version: 1,
      });
    }
    const event = (event_name: string, at: JobState, payload: object | null) => ({
      id: newId(),
      ...stamps,
      company_id: facts.companyId,
      job_id: jobId,
      event_name,
      state: at,
      event_source: 'automation',
      occurred_at: plan.now.toISOString(),
      payload,
      created_by_type: plan.by.type,
      created_by_id: plan.by.id,
      created_by_name: plan.by.name,
    });
    work.events.push(event('JobCreated', 'created', null));
    if (state === 'assigned') {
      const to = facts.driver ? { driver_id: facts.driver.id } : { vendor_id: facts.vendor!.accountId };
      work.events.push(event('JobAssigned', 'assigned', to));
    }
    if (!facts.driver && facts.vendor) {
      work.assignments.push({
        id: newId(),
        ...stamps,
        job_id: jobId,
        link: 0,
        customer_company_id: facts.companyId,
        vendor_company_id: facts.vendor.companyId ?? null,
        customer_account_id: null,
        vendor_account_id: facts.vendor.accountId,
        rate_id: facts.rates?.vendor_rate_id ?? null,
        rate_value: facts.rates?.vendor_rate_value ?? null,
        rate_type: facts.rates?.vendor_rate_type ?? null,
      });
    }
  }
  return work;
}

/** Writes planned work: four statements, however many trucks. The order must be in the database already. */
export const insertWork = (em: EntityManager, work: PlannedWork): Promise<void> =>
  insertPlanned((table, rows) => insertRows(em, table, rows), work);

/** Writes planned work through the caller's own way to insert rows. */
export async function insertPlanned(
  insert: (table: string, rows: Record<string, unknown>[]) => Promise<void>,
  work: PlannedWork,
): Promise<void> {
  await insert('job', work.jobs);
  await insert('load', work.loads);
  await insert('job_assignment', work.assignments);
  await insert('job_event', work.events);
}

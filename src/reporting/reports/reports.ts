import type { EntityClass } from '@mikro-orm/core';
import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import type { MasterKind } from '../../directory/master-data/master-data.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { nameOf } from '../../directory/master-data/named-kinds.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { allow, findKept, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Denied, type ErrorItem, Invalid, unlessMissing } from '../../platform/errors.ts';
import type { MetricFilter } from '../metrics/metric.inputs.ts';
import { emptyProblemsOf, problemsOf } from '../metrics/question.ts';
import { CUSTOM, DASHBOARDS, type Definition, type ReportDefinitionInput } from './definition.ts';
import { Report, ReportCategory } from './report.entity.ts';
import { CreateReportCategoryInput, CreateReportInput, type UpdateReportCategoryInput, type UpdateReportInput } from './report.inputs.ts';

/** The contract names no permission for those who keep reports. */
export const KEEPS_REPORTS = 'edit_report';
const permissions = { create: KEEPS_REPORTS, edit: KEEPS_REPORTS, delete: KEEPS_REPORTS };

export const reportNameKey = defineUnique('report_name_key', { model: 'Report', field: 'name' });
export const reportCategoryNameKey = defineUnique('report_category_name_key', { model: 'ReportCategory', field: 'name' });

/** The rules of categories. One that has reports cannot be deleted. */
export const reportCategories: MasterKind<ReportCategory, CreateReportCategoryInput, UpdateReportCategoryInput> & {
  entity: typeof ReportCategory;
} = {
  entity: ReportCategory,
  event: 'report_category',
  permissions,
  fill(_tx, category, input) {
    const items: ErrorItem[] = [];
    refuseSystem(input, CreateReportCategoryInput, 'ReportCategory', items);
    if (input.name !== undefined) category.name = nameOf(input.name, 'ReportCategory', items);
    settle(items);
  },
  async letGo(tx, { id }) {
    const [used] = await queryIn<{ count: number }>(
      tx.em,
      'select count(*)::int as count from report where report_category_id = $1 and discarded_at is null',
      [id],
    );
    if (used!.count > 0) throw new Invalid([{ model: 'ReportCategory', field: 'id', key: 'in_use', params: { count: used!.count } }]);
  },
};

/** The rules of reports. */
export const reports: MasterKind<Report, CreateReportInput, UpdateReportInput> & { entity: typeof Report } = {
  entity: Report,
  event: 'report',
  permissions,
  async fill(tx, report, input) {
    const items: ErrorItem[] = [];
    refuseSystem(input, CreateReportInput, 'Report', items);
    if (input.name !== undefined) report.name = nameOf(input.name, 'Report', items);
    fillDashboard(report, input, items);
    await refuseUnknown(tx, input.definition?.filter, items);
    await fillCategory(tx, report, input, items);
    settle(items);
  },
};

const settle = (items: ErrorItem[]): void => {
  if (items.length > 0) throw new Invalid(items);
};

function refuseSystem(input: object, type: abstract new () => { system?: boolean | null }, model: string, items: ErrorItem[]): void {
  if (input instanceof type && input.system) items.push({ model, field: 'system', key: 'report_not_built_in' });
}

function fillDashboard(report: Report, input: UpdateReportInput, items: ErrorItem[]): void {
  const { dashboardId, definition } = input;
  const wanted = dashboardId ?? (definition ? CUSTOM : report.dashboardId);
  const wrong = dashboardProblem(report, input, wanted);
  if (wrong) return void items.push({ model: 'Report', ...wrong });
  if (definition)
    for (const { field, key, params } of [...problemsOf(definition), ...emptyProblemsOf(definition)])
      items.push({ model: 'Report', field: `definition.${field}`, key, params });
  report.dashboardId = wanted;
  if (definition) report.definition = stored(definition);
  else if (wanted !== CUSTOM) report.definition = null;
}

/** Looks up the records that the filter of a definition names, when it is kept: nobody keeps an id of which they know nothing. */
async function refuseUnknown(tx: TxContext, filter: MetricFilter | null | undefined, items: ErrorItem[]): Promise<void> {
  if (!filter) return;
  const own = new Set(viewerOf(tx).companyIds);
  for (const [at, id] of (filter.companyIds ?? []).entries())
    if (!own.has(id.toLowerCase())) items.push({ model: 'Report', field: `${FILTER}companyIds.${at}`, key: 'must_exist' });
  await resolveReferences(tx, filter, FILTERED_BY, { model: 'Report', path: FILTER, items, shared: true });
}
const FILTER = 'definition.filter.';
const FILTERED_BY = {
  projects: [Project, 'projectIds'],
  orders: [Order, 'orderIds'],
  customers: [Account, 'customerAccountIds'],
  vendors: [Account, 'vendorAccountIds'],
  drivers: [User, 'driverIds'],
  trucks: [Equipment, 'equipmentIds'],
  materials: [Material, 'materialIds'],
  pickups: [Site, 'pickupSiteIds'],
  dropoffs: [Site, 'dropoffSiteIds'],
} as const;

/** Returns the problem of a dashboard and a definition together. */
function dashboardProblem(
  report: Report,
  { dashboardId, definition }: UpdateReportInput,
  wanted: string,
): Omit<ErrorItem, 'model'> | undefined {
  if (dashboardId === null) return { field: 'dashboardId', key: 'required' };
  if (wanted !== CUSTOM && !Object.hasOwn(DASHBOARDS, wanted)) {
    const known = [...Object.keys(DASHBOARDS), CUSTOM].join(', ');
    return { field: 'dashboardId', key: 'report_dashboard_unknown', params: { known } };
  }
  if (wanted !== CUSTOM) return definition ? { field: 'definition', key: 'report_definition_of_custom' } : undefined;
  const isMissing = definition === null || (!definition && !report.definition);
  return isMissing ? { field: 'definition', key: 'report_definition_missing' } : undefined;
}

const stored = ({ measures, groupBy, filter, timeZone, period, chart }: ReportDefinitionInput): Definition => ({
  measures,
  groupBy: groupBy ?? [],
  filter: filter ?? null,
  timeZone: timeZone ?? null,
  period: period ?? 'last_30_days',
  chart: chart ?? 'bar',
});

/** The category is locked, so that nobody deletes it meanwhile; a built-in one stays. */
async function fillCategory(tx: TxContext, report: Report, { reportCategoryId: id }: UpdateReportInput, items: ErrorItem[]): Promise<void> {
  if (id === undefined) return;
  const category = id === null ? undefined : await categoryOf(tx, id, report.company.id);
  if (category) report.reportCategory = ref(category);
  else items.push({ model: 'Report', field: 'reportCategoryId', key: id === null ? 'required' : 'must_exist' });
}

async function categoryOf(tx: TxContext, id: string, companyId: string): Promise<ReportCategory | undefined> {
  const found = await unlessMissing(findKept(tx, ReportCategory, id, { companyId, shared: true }));
  return !found || found.system ? found : unlessMissing(findKept(tx, ReportCategory, id, { companyId, lock: true }));
}

/** @throws Missing, Denied for what is built in: it belongs to nobody who could change it */
export async function refuseBuiltIn(ctx: Context, entity: EntityClass<Report | ReportCategory>, path: RecordPath): Promise<void> {
  const { system } = await findKept(ctx, entity, path.id, { companyId: path.companyId, shared: true });
  allow(ctx, KEEPS_REPORTS);
  if (system) throw new Denied(KEEPS_REPORTS, 'permission_of_owning_company');
}

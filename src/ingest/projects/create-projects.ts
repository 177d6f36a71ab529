import { importedDefaultsOf, PROJECT_FIELDS } from '../../dispatch/fields/work-fields.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { contactRows, describeContacts } from '../apply/contacts.ts';
import type { BatchTx, ClaimedRecord, Outcome } from '../importer.ts';
import type { Matches } from '../orders/nested.ts';
import type { ProjectDraft } from './parse-project.ts';
import type { Item } from './project-item.ts';
import { suppliesWanted } from './sync-materials.ts';

/** Columns a new project has when its payload says nothing of them. */
const DEFAULTS: Record<string, unknown> = { state: 'active', ...importedDefaultsOf(PROJECT_FIELDS), version: 1 };

/** Makes projects with their contacts; stops, phases and materials are written with those of the projects that are there. */
export async function createProjects(
  tx: BatchTx,
  items: readonly Item[],
  matches: Matches,
  outcomes: Map<ClaimedRecord, Outcome>,
): Promise<void> {
  if (items.length === 0) return;
  const first = await tx.numbers('project', items.length);
  const contacts: object[] = [];
  for (const { record, draft, wanted } of items) {
    for (const [kind, id] of Object.entries(contactRows(tx, { record, draft }, contacts))) wanted[`${kind}_contact_id`] = id;
  }
  await insertRows(tx.em, 'contact', contacts);
  const columns = [...new Set(items.flatMap(({ wanted }) => Object.keys(wanted)))];
  const blank = Object.fromEntries(columns.map((column) => [column, DEFAULTS[column] ?? null]));
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: tx.company.id };
  const rows = items.map(({ id, routeId, draft, wanted }, i) => ({
    ...DEFAULTS,
    ...blank,
    ...wanted,
    ...stamps,
    id,
    number: first + i,
    project_id: `P-${first + i}`,
    external_id: draft.externalId,
    route_id: routeId,
  }));
  await insertRows(tx.em, 'project', rows);
  for (const { record, draft, id, wanted } of items) {
    const at = { type: 'Project', id, companyId: tx.company.id };
    tx.event(record, { name: 'project.created', ...at });
    const made = Object.entries({ external_id: draft.externalId, ...wanted });
    tx.audit(record, { event: 'create', ...at, changes: Object.fromEntries(made.map(([column, after]) => [column, [null, after]])) });
    tx.made(id, () => describeProject(draft, matches));
    outcomes.set(record, { state: 'processed', resultId: id, warnings: draft.warnings });
  }
}

/** What a new project is made of beside its columns. */
const describeProject = (draft: ProjectDraft, matches: Matches) => ({
  dispatch_number_id: undefined,
  dispatch_number: draft.dispatchNumber ?? null,
  ...Object.fromEntries(Object.keys(draft.contacts).map((kind) => [`${kind}_contact_id`, undefined])),
  ...describeContacts(draft),
  waypoints: draft.sites.map((site) => ({ type: site.waypoint, site_id: matches.site(site) })),
  phases: draft.phases,
  materials: [...suppliesWanted(draft, matches)].map(([materialId, { totalQuantity, unitOfMeasure }]) => ({
    material_id: materialId,
    total_quantity: totalQuantity,
    unit_of_measure: unitOfMeasure,
  })),
});

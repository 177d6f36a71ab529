import type { NewWork } from '../../dispatch/fields/insert-work.ts';
import { contactColumnsOf } from '../../dispatch/fields/write-parts.ts';
import { createProjects as create, IMPORTED_DEFAULTS, projectIdOf } from '../../dispatch/projects/write-projects.ts';
import { setOfNew } from '../../platform/commands/audit.ts';
import { contactRows, describeContacts } from '../apply/contacts.ts';
import type { BatchTx, ClaimedRecord, Outcome } from '../importer.ts';
import { type Matches, warnOfInactive } from '../nested/nested.ts';
import type { ProjectDraft } from './parse-project.ts';
import type { Item } from './project-item.ts';
import { suppliesWanted } from './sync-materials.ts';

/** Creates projects with their contacts; stops, phases and materials are written together with those of existing projects. */
export async function createProjects(
  tx: BatchTx,
  items: readonly Item[],
  matches: Matches,
  outcomes: Map<ClaimedRecord, Outcome>,
): Promise<void> {
  if (items.length === 0) return;
  const firstNumber = await tx.numbers('project', items.length);
  const projects = items.map(({ record, draft, id, routeId, wanted }, at): NewWork => {
    const contacts = contactRows(draft);
    const set = { ...wanted, ...contactColumnsOf(contacts) };
    const number = firstNumber + at;
    const { externalId } = draft;
    return {
      ...{ id, records: tx.recordsOf(record), changes: setOfNew({ external_id: externalId, ...set }) },
      columns: {
        ...{ ...IMPORTED_DEFAULTS, ...set },
        ...{ number, project_id: projectIdOf(number), external_id: externalId, route_id: routeId },
      },
      ...{ contacts: Object.values(contacts), stops: [], phases: [] },
    };
  });
  await create(tx, tx.company.id, projects);
  for (const { record, draft, id } of items) {
    for (const site of draft.sites) warnOfInactive(draft.warnings, 'site', site, matches);
    tx.made(id, () => describeProject(draft, matches));
    outcomes.set(record, { state: 'processed', resultId: id, warnings: draft.warnings });
  }
}

/** Returns the parts of a new project that are no columns. */
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

import { ref } from '@mikro-orm/core';
import { lockMaster } from '../../directory/master-data/master-data.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict, type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { changesUnits, collectUnitMismatches, unitsOfProject } from '../checks/unit-mismatches.ts';
import { CONTACTS, dispatchNumberNamed, syncContact, syncContacts, syncWaypoints } from '../fields/order-parts.ts';
import { watchParts } from '../fields/part-changes.ts';
import { syncPhases } from '../fields/sync-phases.ts';
import { Project } from '../model/project.entity.ts';
import type { UpdateProjectInput } from './project.inputs.ts';
import { applyProjectFields, resolveProjectReferences } from './project-fields.ts';
import { syncProjectMaterials } from './project-materials.ts';

/** The parts of a project that are rows of their own. */
const PARTS = ['waypoints', 'phases', 'projectMaterialTotals', ...CONTACTS] as const;

/**
 * Changes a project (PATCH): absent fields are kept, null clears. Phases, materials and stops are changed by id; those not named are kept.
 * @throws Missing, Denied, Conflict on a stale `version`, Invalid with every wrong field at once
 */
export async function updateProject(ctx: Context, path: RecordPath, sent: UpdateProjectInput): Promise<Project> {
  const input = onlySeen(viewerOf(ctx), sent, 'Project');
  return transact(ctx, async (tx) => {
    const project = await lockMaster(tx, { entity: Project }, path, 'edit_project');
    if (typeof input.version === 'number' && input.version !== project.version)
      throw new Conflict([{ model: 'Project', field: 'version', key: 'stale_version' }]);
    const companyId = project.company.id;
    const noteParts = PARTS.some((part) => input[part] !== undefined) ? await watchParts(tx, 'Project', project) : null;
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Project', items };
    // Parts are changed by their ids, so that null would have no meaning.
    for (const field of ['waypoints', 'phases', 'projectMaterialTotals'] as const)
      if (input[field] === null) items.push({ model: 'Project', field, key: 'required' });
    const before = unitsOfProject(project);
    await applyProjectFields(tx, project, input, await resolveProjectReferences(tx, input, companyId, to), to);
    if (changesUnits(input)) await collectUnitMismatches(tx, unitsOfProject(project), { model: 'Project', input, before }, items);
    await syncContacts(tx, project, companyId, input, to);
    await syncContact(tx, project, { name: 'contact', companyId, given: input.contact }, to);
    if (input.phases) await syncPhases(tx, { projectId: project.id, companyId }, input.phases, to);
    if (input.projectMaterialTotals) {
      const { made, gone } = await syncProjectMaterials(tx, project, input.projectMaterialTotals, to);
      tx.em.remove([...gone]).persist(made);
    }
    // Without any, a project that has no stops needs no route.
    if (input.waypoints?.length) {
      project.routeId ??= newId();
      await syncWaypoints(tx, { routeId: project.routeId, companyId, least: 0 }, input.waypoints, to);
    }
    if (items.length > 0) throw new Invalid(items);
    if (input.dispatchNumber === null || input.dispatchNumber?._destroy) project.dispatchNumber = null;
    else if (input.dispatchNumber?.name) project.dispatchNumber = ref(await dispatchNumberNamed(tx, companyId, input.dispatchNumber.name));
    // The unit of work writes first, so that the changes of the parts are visible.
    await tx.em.flush();
    await noteParts?.();
    emitEvent(tx, 'project.updated', project);
    return project;
  });
}

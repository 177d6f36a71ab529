import { ref } from '@mikro-orm/core';
import { Material } from '../../directory/master-data/named.entities.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { type Project, ProjectMaterial } from '../model/project.entity.ts';
import type { UpdateProjectMaterialInput } from './project.inputs.ts';

const FIELD = 'projectMaterialTotals';

/**
 * Adds, changes and removes the quantities of a project's materials; those not named are kept. A material appears once, as in imports.
 * @returns the added and the removed ones, which the caller writes; the unit of work writes the changed ones
 */
export async function syncProjectMaterials(
  tx: TxContext,
  project: Project,
  inputs: readonly UpdateProjectMaterialInput[],
  to: ErrorCollector,
): Promise<{ made: ProjectMaterial[]; gone: ReadonlySet<ProjectMaterial> }> {
  const options = { model: to.model, companyId: project.company.id, items: to.items };
  const specs = { materials: [Material, `${FIELD}.*.materialId`] } as const;
  const { materials } = await resolveReferences(tx, { [FIELD]: inputs }, specs, options);
  const stored = await tx.em.find(ProjectMaterial, { projectId: project.id });
  const known = new Map(stored.map((total) => [total.id, total]));
  const gone = new Set<ProjectMaterial>();
  const made: ProjectMaterial[] = [];
  for (const [i, input] of inputs.entries()) {
    const report = (field: string, key: string) => to.items.push({ model: to.model, field: `${FIELD}.${i}.${field}`, key });
    const total = input.id ? known.get(input.id.toLowerCase()) : undefined;
    if (input.id && !total) report('id', 'not_of_this_order');
    else if (input._destroy) {
      if (total) gone.add(total);
    } else {
      const material = materials[i];
      if (material && material.id !== total?.material.id) collectUnusable(material, `${FIELD}.${i}.materialId`, to);
      if (input.materialId === null || (!total && input.materialId === undefined)) report('materialId', 'required');
      const target = total ?? Object.assign(new ProjectMaterial(), { companyId: project.company.id, projectId: project.id });
      if (material) target.material = ref(material);
      if (input.totalQuantity !== undefined) target.totalQuantity = input.totalQuantity;
      if (input.unitOfMeasure !== undefined) target.unitOfMeasure = input.unitOfMeasure;
      if (!total && material) made.push(target);
      const others = [...stored, ...made].filter((one) => one !== target && !gone.has(one));
      if (material && others.some((one) => one.material.id === material.id)) report('materialId', 'taken');
    }
  }
  return { made, gone };
}

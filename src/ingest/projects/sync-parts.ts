import { insertRows } from '../../platform/database/sql.ts';
import { decimalText } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import { type Matches } from '../orders/match.ts';
import { type ProjectDraft, phaseKey } from './parse-project.ts';

interface Owner {
  id: string;
  draft: ProjectDraft;
}

/**
 * Makes each project's phases those of its payload (SPEC: sync): one that is known by name and code keeps its id, what is missing goes.
 * Orders have phases of their own, so none of theirs is touched.
 * @returns projects whose phases changed
 */
export async function syncPhases(tx: BatchTx, owners: readonly Owner[]): Promise<Set<string>> {
  const known = await tx.query<{ id: string; project_id: string; name: string; code: string | null; primary: boolean }>(
    'select id, project_id, name, code, "primary" from phase where project_id = any($1::uuid[]) order by created_at, id',
    [owners.map(({ id }) => id)],
  );
  const changed = new Set<string>();
  const gone: string[] = [];
  const added: object[] = [];
  const turned: { id: string; primary: boolean }[] = [];
  for (const { id: projectId, draft } of owners) {
    const own = new Map<string, (typeof known)[number]>();
    for (const phase of known) {
      if (phase.project_id !== projectId) continue;
      if (own.has(phaseKey(phase))) gone.push(phase.id);
      else own.set(phaseKey(phase), phase);
    }
    for (const phase of draft.phases) {
      const kept = own.get(phaseKey(phase));
      own.delete(phaseKey(phase));
      if (!kept) added.push({ id: newId(), ...stampsOf(tx), project_id: projectId, ...phase });
      else if (kept.primary !== phase.primary) turned.push({ id: kept.id, primary: phase.primary });
      if (!kept || kept.primary !== phase.primary) changed.add(projectId);
    }
    for (const phase of own.values()) {
      gone.push(phase.id);
      changed.add(projectId);
    }
  }
  if (gone.length > 0) await tx.query('delete from phase where id = any($1::uuid[])', [gone]);
  if (turned.length > 0) {
    await tx.query(
      'update phase p set "primary" = r."primary", updated_at = $2 from jsonb_to_recordset($1::jsonb) r(id uuid, "primary" boolean) where p.id = r.id',
      [JSON.stringify(turned), tx.now],
    );
  }
  await insertRows(tx.em, 'phase', added);
  return changed;
}

/**
 * Makes each project's materials those of its payload (SPEC: sync), one row per material; the last mention of a material counts.
 * @returns projects whose materials changed
 */
export async function syncMaterials(tx: BatchTx, owners: readonly Owner[], matches: Matches): Promise<Set<string>> {
  const known = await tx.query<{
    id: string;
    project_id: string;
    material_id: string;
    total_quantity: string | null;
    unit_of_measure: string | null;
  }>(
    'select id, project_id, material_id, total_quantity::text, unit_of_measure from project_material where project_id = any($1::uuid[]) order by created_at, id',
    [owners.map(({ id }) => id)],
  );
  const changed = new Set<string>();
  const gone: string[] = [];
  const added: object[] = [];
  const turned: object[] = [];
  for (const { id: projectId, draft } of owners) {
    const wanted = new Map(draft.materials.map((material) => [matches.material(material)!, material]));
    for (const row of known) {
      if (row.project_id !== projectId) continue;
      const material = wanted.get(row.material_id);
      wanted.delete(row.material_id);
      if (!material) gone.push(row.id);
      else if (textOf(row.total_quantity) === textOf(material.totalQuantity) && row.unit_of_measure === material.unitOfMeasure) continue;
      else turned.push({ id: row.id, total_quantity: material.totalQuantity, unit_of_measure: material.unitOfMeasure });
      changed.add(projectId);
    }
    for (const [materialId, { totalQuantity, unitOfMeasure }] of wanted) {
      changed.add(projectId);
      added.push({
        id: newId(),
        ...stampsOf(tx),
        project_id: projectId,
        material_id: materialId,
        total_quantity: totalQuantity,
        unit_of_measure: unitOfMeasure,
      });
    }
  }
  if (gone.length > 0) await tx.query('delete from project_material where id = any($1::uuid[])', [gone]);
  if (turned.length > 0) {
    await tx.query(
      `update project_material m set total_quantity = r.total_quantity, unit_of_measure = r.unit_of_measure, updated_at = $2
       from jsonb_to_recordset($1::jsonb) r(id uuid, total_quantity numeric, unit_of_measure text) where m.id = r.id`,
      [JSON.stringify(turned), tx.now],
    );
  }
  await insertRows(tx.em, 'project_material', added);
  return changed;
}

const textOf = (quantity: string | null): string | null => (quantity === null ? null : decimalText(quantity));

const stampsOf = (tx: BatchTx) => ({ created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: tx.company.id });

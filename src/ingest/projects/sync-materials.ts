import { type MaterialRow, type PartChanges, writeMaterials } from '../../dispatch/fields/write-parts.ts';
import { isInUse } from '../../platform/database/former-ids.ts';
import { decimalText } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { Change } from '../apply/change.ts';
import type { BatchTx, Warning } from '../importer.ts';
import { type Matches, warnOfInactive } from '../nested/nested.ts';
import { sentValue } from '../payload/columns.ts';
import type { MaterialDraft } from './parse-project.ts';

interface Owner {
  id: string;
  draft: { materials: MaterialDraft[]; warnings: Warning[] };
  change?: Change;
}
interface Supply {
  id: string;
  material_id: string;
  total_quantity: string | null;
  unit_of_measure: string | null;
}
interface Known extends Supply {
  project_id: string;
  /** The material as a sender names it. */
  sent: object;
}

/**
 * Replaces each project's materials by those of its payload (SPEC: sync), one row for each material; the last mention of a material counts.
 * If a person changed the materials, all of them are kept.
 */
export async function syncMaterials(tx: BatchTx, owners: readonly Owner[], matches: Matches): Promise<void> {
  const known = await suppliesOf(
    tx,
    owners.map(({ id }) => id),
  );
  const plan = { added: [], changed: [], gone: [] };
  for (const owner of owners) planSupplies(owner, known.get(owner.id) ?? [], matches, plan);
  await writeMaterials(tx, tx.company.id, plan);
}

/** Adds to the plan what a payload changes of one project's materials. */
function planSupplies(
  { id: projectId, draft, change }: Owner,
  before: readonly Known[],
  matches: Matches,
  plan: Required<PartChanges<MaterialRow>>,
): void {
  const left = new Map(before.map((supply) => [supply.material_id, supply]));
  const wanted = wantedOf(draft, matches);
  const after = [...wanted].map(([materialId, { totalQuantity, unitOfMeasure }]): Supply => {
    const kept = left.get(materialId);
    const same = kept && kept.total_quantity === textOf(totalQuantity) && kept.unit_of_measure === unitOfMeasure;
    const id = kept?.id ?? newId();
    return same ? kept : { id, material_id: materialId, total_quantity: totalQuantity, unit_of_measure: unitOfMeasure };
  });
  const stay = new Set(after.map(({ id }) => id));
  const different = after.filter((supply) => !before.includes(supply as Known));
  const surplus = before.filter(({ id }) => !stay.has(id));
  if (different.length + surplus.length === 0) return;
  if (change?.known.edited.has('project_material_totals')) {
    change.keep('/materials', { used: before.map(asSent) });
    return;
  }
  for (const [materialId, material] of wanted) if (!left.has(materialId)) warnOfInactive(draft.warnings, 'material', material, matches);
  if (change) change.audit.project_material_totals = [before.map(auditValue), after.map(auditValue)];
  for (const supply of different) {
    if (before.some(({ id }) => id === supply.id)) plan.changed.push(supply);
    else plan.added.push({ ...supply, project_id: projectId });
  }
  plan.gone.push(...surplus.map(({ id }) => id));
}

/** Returns the materials by the record that each was found to be; of several that are the same one, the last. */
export const suppliesWanted = ({ materials }: { materials: MaterialDraft[] }, matches: Matches): Map<string, MaterialDraft> =>
  new Map(materials.map((material) => [matches.material(material)!, material]));

/** The same, with a warning for each one that does not count. */
function wantedOf({ materials, warnings }: Owner['draft'], matches: Matches): Map<string, MaterialDraft> {
  const wanted = new Map<string, MaterialDraft>();
  for (const material of materials) {
    const id = matches.material(material)!;
    const earlier = wanted.get(id);
    if (earlier) warnings.push({ code: 'second_material', pointer: earlier.pointer, given: earlier.name ?? earlier.externalId });
    wanted.set(id, material);
  }
  return wanted;
}

async function suppliesOf(tx: BatchTx, projectIds: string[]): Promise<Map<string, Known[]>> {
  const rows = await tx.query<Known & Record<string, unknown>>(
    `select p.id, p.project_id, p.material_id, p.total_quantity::text, p.unit_of_measure,
       (select jsonb_strip_nulls(jsonb_build_object('external_id', m.external_id, 'name', m.name)) from material m where m.id = p.material_id) as sent
     from project_material p where p.project_id = any($1::uuid[]) and ${isInUse('p.material_id')}
     order by p.created_at, p.id`,
    [projectIds],
  );
  const supplies = new Map<string, Known[]>();
  for (const row of rows)
    supplies.set(row.project_id, [...(supplies.get(row.project_id) ?? []), { ...row, total_quantity: textOf(row.total_quantity) }]);
  return supplies;
}

const textOf = (quantity: string | null): string | null => (quantity === null ? null : decimalText(quantity));

/** Returns a material in the form of the audit log. */
const auditValue = ({ id, material_id, total_quantity, unit_of_measure }: Supply): Supply => ({
  id,
  material_id,
  total_quantity,
  unit_of_measure,
});

const asSent = ({ sent, total_quantity, unit_of_measure }: Known): object => ({
  ...sent,
  total_quantity: sentValue('quantity', total_quantity),
  unit_of_measure,
});

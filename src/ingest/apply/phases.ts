import { type PartChanges, type PhaseRow, type PhaseValues, writePhases } from '../../dispatch/fields/write-parts.ts';
import { foldText } from '../../platform/fold.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import { phaseKey } from '../payload/read-phases.ts';
import type { Change } from './change.ts';

/**
 * Replaces the phases of each order or project by those of its payload (SPEC: sync). A known phase keeps its id, because work is booked on
 * it. A missing one is removed, and work that has not left is then booked on none. If a person changed the phases, all of them are kept.
 */
export async function syncPhases(tx: BatchTx, owner: 'order_id' | 'project_id', items: readonly Phased[]): Promise<void> {
  if (items.length === 0) return;
  const known = await phasesOf(
    tx,
    owner,
    items.map(({ id }) => id),
  );
  const plan = { added: [], changed: [], gone: [] };
  for (const item of items) planPhases(item, known.get(item.id) ?? [], { [owner]: item.id }, plan);
  await writePhases(tx, tx.company.id, owner, plan);
}

/** An order or project with the phases of its payload. */
interface Phased {
  id: string;
  phases: PhaseValues[];
  change?: Change;
}

/** Adds to the plan what a payload changes of one record's phases. @param own the columns of a new phase that name its owner */
function planPhases({ phases, change }: Phased, before: readonly PhaseRow[], own: object, plan: Required<PartChanges<PhaseRow>>): void {
  const kept = keptOf(before, phases);
  const after = phases.map((phase): PhaseRow => {
    const same = kept.get(phase);
    return same && phaseKey(same) === phaseKey(phase) && same.primary === phase.primary ? same : { id: same?.id ?? newId(), ...phase };
  });
  const stay = new Set(after.map(({ id }) => id));
  const isSame = before.every(({ id }) => stay.has(id)) && after.every((phase) => before.includes(phase));
  if (isSame || change?.meetsLock()) return;
  if (change?.known.edited.has('phases')) {
    change.keep('/phases', { used: before.map(({ name, code, primary }) => ({ name, code, primary })) });
    return;
  }
  if (change) change.audit.phases = [before, after];
  for (const phase of after) {
    if (before.includes(phase)) continue;
    if (before.some(({ id }) => id === phase.id)) plan.changed.push(phase);
    else plan.added.push({ ...phase, ...own });
  }
  plan.gone.push(...before.flatMap(({ id }) => (stay.has(id) ? [] : id)));
}

const nameOf = ({ name }: PhaseValues): string => foldText(name);

/** The keys by which a payload's phase is found, in turn; payloads have no external ids of phases. Names are compared like all names. */
const KNOWN_BY: readonly ((phase: PhaseValues) => string)[] = [phaseKey, (phase) => JSON.stringify([nameOf(phase), phase.code]), nameOf];

/** Returns the existing phase for each phase of a payload; no existing phase is used twice. */
function keptOf(before: readonly PhaseRow[], phases: readonly PhaseValues[]): Map<PhaseValues, PhaseRow> {
  const kept = new Map<PhaseValues, PhaseRow>();
  const left = new Set(before);
  for (const keyOf of KNOWN_BY) {
    const byKey = Map.groupBy(left, keyOf);
    for (const phase of phases) {
      const same = kept.has(phase) ? undefined : byKey.get(keyOf(phase))?.shift();
      if (!same) continue;
      kept.set(phase, same);
      left.delete(same);
    }
  }
  return kept;
}

async function phasesOf(tx: BatchTx, owner: string, ids: string[]): Promise<Map<string, PhaseRow[]>> {
  const rows = await tx.query<PhaseRow & { owner: string } & Record<string, unknown>>(
    `select ${owner} as owner, id, name, code, "primary" from phase where ${owner} = any($1::uuid[]) order by created_at, id`,
    [ids],
  );
  const phases = new Map<string, PhaseRow[]>();
  for (const { owner: of, id, name, code, primary } of rows) phases.set(of, [...(phases.get(of) ?? []), { id, name, code, primary }]);
  return phases;
}

import { unbook } from '../../dispatch/orders/order-phases.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { foldText } from '../../platform/fold.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import type { Change } from './change.ts';

export interface PhaseDraft {
  name: string;
  code: string | null;
  primary: boolean;
}
interface Phase extends PhaseDraft {
  id: string;
}

/** What the phases of a payload are told apart by. */
export const phaseKey = (phase: { name: string; code: string | null }): string => JSON.stringify([phase.name, phase.code]);

/**
 * Makes the phases of each order or project those of its payload (SPEC: sync): one that is known keeps its id, because work is booked on
 * it; what is missing goes, and work booked on it that has not left is booked on none. Phases that a person changed stay as they are, all
 * of them.
 */
export async function syncPhases(tx: BatchTx, owner: 'order_id' | 'project_id', items: readonly Phased[]): Promise<void> {
  if (items.length === 0) return;
  const known = await phasesOf(
    tx,
    owner,
    items.map(({ id }) => id),
  );
  const plan: Plan = { gone: [], added: [], turned: [] };
  for (const item of items) planPhases(item, known.get(item.id) ?? [], { ...stampsOf(tx), [owner]: item.id }, plan);
  const { gone, added, turned } = plan;
  await remove(tx, owner, gone);
  if (turned.length > 0) {
    await tx.query(
      `update phase p set name = r.name, code = r.code, "primary" = r."primary", updated_at = $2
       from jsonb_to_recordset($1::jsonb) r(id uuid, name text, code text, "primary" boolean) where p.id = r.id`,
      [JSON.stringify(turned), tx.now],
    );
  }
  await insertRows(tx.em, 'phase', added);
}

/** An order or project with the phases of its payload. */
interface Phased {
  id: string;
  phases: PhaseDraft[];
  change?: Change;
}

/** What is to be written. */
interface Plan {
  gone: string[];
  added: object[];
  turned: Phase[];
}

/** What a payload makes of the phases of one record. @param own the columns of a new phase that say whose it is */
function planPhases({ phases, change }: Phased, before: readonly Phase[], own: object, plan: Plan): void {
  const kept = keptOf(before, phases);
  const after = phases.map((phase): Phase => {
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
    if (before.some(({ id }) => id === phase.id)) plan.turned.push(phase);
    else plan.added.push({ ...phase, ...own });
  }
  plan.gone.push(...before.flatMap(({ id }) => (stay.has(id) ? [] : id)));
}

const nameOf = ({ name }: PhaseDraft): string => foldText(name);

/** By these keys in turn a phase of a payload is the one that is there; payloads give phases no external id. Names compare as all names do. */
const KNOWN_BY: readonly ((phase: PhaseDraft) => string)[] = [phaseKey, (phase) => JSON.stringify([nameOf(phase), phase.code]), nameOf];

/** Which of the phases that are there each one of a payload is: none is two of them. */
function keptOf(before: readonly Phase[], phases: readonly PhaseDraft[]): Map<PhaseDraft, Phase> {
  const kept = new Map<PhaseDraft, Phase>();
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

async function phasesOf(tx: BatchTx, owner: string, ids: string[]): Promise<Map<string, Phase[]>> {
  const rows = await tx.query<Phase & { owner: string } & Record<string, unknown>>(
    `select ${owner} as owner, id, name, code, "primary" from phase where ${owner} = any($1::uuid[]) order by created_at, id`,
    [ids],
  );
  const phases = new Map<string, Phase[]>();
  for (const { owner: of, id, name, code, primary } of rows) phases.set(of, [...(phases.get(of) ?? []), { id, name, code, primary }]);
  return phases;
}

async function remove(tx: BatchTx, owner: 'order_id' | 'project_id', ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  // Jobs and loads are booked on phases of their order, never on a project's.
  const booked = owner === 'order_id' ? await unbook(tx.query, ids, tx.now) : [];
  if (booked.length > 0)
    await tx.query('update phase set order_id = null, "primary" = false, updated_at = $2 where id = any($1::uuid[])', [booked, tx.now]);
  await tx.query('delete from phase where id = any($1::uuid[])', [ids.filter((id) => !booked.includes(id))]);
}

const stampsOf = (tx: BatchTx) => ({ created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: tx.company.id });

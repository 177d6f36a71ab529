import type { Telling } from '../directory/contacts.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import type { PhaseInput } from './part.inputs.ts';
import { Phase } from './phase.entity.ts';

/** Whose phases they are. */
export type PhaseOwner = { companyId: string } & ({ orderId: string } | { projectId: string });

/** Adds, changes and removes phases of an order or a project; at most one is primary (SPEC), a new primary takes over from the old. */
export async function syncPhases(
  tx: TxContext,
  owner: PhaseOwner,
  inputs: readonly PhaseInput[],
  to: Telling,
  field = 'phases',
): Promise<void> {
  if (inputs.filter((input) => input.primary && !input._destroy).length > 1) {
    to.items.push({ model: to.model, field, key: 'one_primary_phase' });
    return;
  }
  const { companyId, ...of } = owner;
  const known = new Map((await tx.em.find(Phase, of)).map((phase) => [phase.id, phase]));
  if (inputs.some((input) => input.primary)) for (const phase of known.values()) phase.primary = false;
  for (const [i, input] of inputs.entries()) {
    const at = field === 'phase' ? 'phase' : `${field}.${i}`;
    const phase = input.id ? known.get(input.id.toLowerCase()) : undefined;
    if (input.id && !phase) to.items.push({ model: to.model, field: `${at}.id`, key: 'not_of_this_order' });
    else if (input._destroy) {
      if (!phase) continue;
      known.delete(phase.id);
      await removePhase(tx, phase);
    } else if (!phase && !input.name) to.items.push({ model: to.model, field: `${at}.name`, key: 'required' });
    else {
      const target = phase ?? Object.assign(new Phase(), { ...of, companyId });
      if (input.name) target.name = input.name;
      if (input.code !== undefined) target.code = input.code;
      if (input.primary !== undefined && input.primary !== null) target.primary = input.primary;
      if (!phase) tx.em.persist(target);
    }
  }
}

/** Work that was booked on the phase is booked on none. */
async function removePhase(tx: TxContext, phase: Phase): Promise<void> {
  for (const table of ['job', 'load']) {
    await queryIn(tx.em, `update ${table} set phase_id = null, updated_at = $2, version = version + 1 where phase_id = $1`, [
      phase.id,
      tx.tx.now,
    ]);
  }
  tx.em.remove(phase);
}

import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { Phase } from '../model/phase.entity.ts';
import type { PhaseInput } from './part.inputs.ts';
import { unbook } from './write-parts.ts';

/** The order or project that the phases belong to. */
export type PhaseOwner = { companyId: string } & ({ orderId: string } | { projectId: string });

/** Adds, changes and removes phases of an order or a project. At most one is primary (SPEC); a new primary one replaces the old. */
export async function syncPhases(
  tx: TxContext,
  owner: PhaseOwner,
  inputs: readonly PhaseInput[],
  to: ErrorCollector,
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

/** A phase under which work was done is kept for that work when the order loses it. */
async function removePhase(tx: TxContext, phase: Phase): Promise<void> {
  const booked = await unbook((sql, parameters) => queryIn(tx.em, sql, parameters), [phase.id], tx.tx.now);
  if (booked.length > 0) Object.assign(phase, { orderId: null, primary: false });
  else tx.em.remove(phase);
}

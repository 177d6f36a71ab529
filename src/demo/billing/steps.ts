import { FlushMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { User } from '../../directory/people/user.entity.ts';
import { grantsOf } from '../../identity/access/matrix.ts';
import { auditSubscriber } from '../../platform/commands/audit.ts';
import { drawConsequences } from '../../platform/commands/consequences.ts';
import { writeRecords } from '../../platform/commands/records.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context, Transaction, Viewer } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { setTenant } from '../../platform/database/tenant.ts';
import { newId } from '../../platform/ids.ts';

/** Somebody of the demo, with the permissions of their roles, who sees the records of these companies. */
export function personOf(user: User, companyIds: readonly string[]): Viewer {
  const grants = grantsOf(user.roles);
  return {
    ...{ type: 'User', id: user.id, name: `${user.firstName} ${user.lastName}`, companyId: user.company.id, companyIds },
    ...{ receivesWork: true, receiversInFamily: companyIds, roles: user.roles },
    can: (permission) => (grants as ReadonlySet<string>).has(permission),
  };
}

/** Runs what a person of the demo does at a time, with the commands of the product. */
export type Step = <T>(by: Viewer, at: Date, work: (tx: TxContext) => Promise<T>) => Promise<T>;

/**
 * Returns how steps are run in the transaction of the seed: as `transact` runs a command, except that it is the past, and that the seed commits.
 * Records that a step makes are as old as the step. Nobody has to be woken, because workers look for work when they start.
 */
export function stepsIn(root: EntityManager): Step {
  return async (viewer, at, work) => {
    // The step reads into a unit of work of its own: the seed has a thousand records in its unit, which each flush would compare.
    const em = root.fork({ clear: true, keepTransactionContext: true, flushMode: FlushMode.COMMIT, cloneEventManager: true });
    setTenant(em, viewer);
    const records: Transaction = { now: at, events: [], audits: [], transitions: [], beforeCommit: [], afterCommit: [] };
    em.getEventManager().registerSubscriber(auditSubscriber(records));
    em.getEventManager().registerSubscriber({
      beforeCreate: ({ entity }: { entity: object }) => void ('createdAt' in entity && Object.assign(entity, { createdAt: at })),
    });
    const requestId = newId();
    const ctx = { requestId, language: 'en', viewer, em, memo: new Map() } as Partial<Context> as Context;
    const tx: TxContext = { ...ctx, tx: records };
    return withPartnerVisibility(async () => {
      const result = await work(tx);
      await em.flush();
      for (const each of records.beforeCommit) await each();
      await drawConsequences(setTxOf(tx), [records]);
      await writeRecords(em, records, { actor: viewer, requestId, now: at });
      return result;
    });
  };
}

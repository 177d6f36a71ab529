import { Account } from '../../directory/accounts/account.entity.ts';
import { makeAvailable, makeUnavailable } from '../../directory/people/time-off.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import type { BulkUpdateAccountInput } from './account.inputs.ts';
import { changeTheirs } from './account-fields.ts';

/**
 * A vendor's office sends this every morning: with whom it works, and how many trucks it can send. All of it is stored, or nothing.
 * @returns ids of the accounts
 * @throws Denied, Invalid with every wrong element, such as an account that the caller does not see
 */
export function bulkUpdateAccounts(ctx: Context, data: BulkUpdateAccountInput[]): Promise<string[]> {
  return transact(ctx, async (tx) => {
    allow(tx, 'edit_account');
    const to: ErrorCollector = { model: 'Account', items: [] };
    const { known } = await resolveReferences(tx, { data }, { known: [Account, 'data.*.id'] } as const, to);
    for (const [i, account] of known.entries())
      if (account?.discardedAt) to.items.push({ model: to.model, field: `data.${i}.id`, key: 'must_exist' });
    if (to.items.length > 0) throw new Invalid(to.items);
    const ids = [...new Set(known.flatMap((account) => account?.id ?? []))];
    // In one order, so that two requests never wait for each other.
    for (const id of ids.toSorted()) await find(tx, Account, id, { lock: true });
    for (const [i, { connectedAccount, available }] of data.entries()) {
      const account = known[i] as Account;
      if (connectedAccount?.truckCount !== undefined)
        await changeTheirs(tx, account, connectedAccount.truckCount, to, `data.${i}.connectedAccount`);
      if (typeof available === 'boolean') await (available ? makeAvailable : makeUnavailable)(tx, 'Account', account.id);
      emitEvent(tx, 'account.updated', account);
    }
    if (to.items.length > 0) throw new Invalid(to.items);
    return ids;
  });
}

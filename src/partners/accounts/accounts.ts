import { Account } from '../../directory/accounts/account.entity.ts';
import type { MasterKind } from '../../directory/master-data/master-data.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import type { CreateAccountInput, UpdateAccountInput } from './account.inputs.ts';
import { applyAccountFields } from './account-fields.ts';
import { endConnection } from './end-connection.ts';

/** The rules of customers and vendors. What was ordered from one that is discarded stays as it was. */
export const accounts: MasterKind<Account, CreateAccountInput, UpdateAccountInput> & { entity: typeof Account } = {
  entity: Account,
  event: 'account',
  matchedBy: ['externalId'],
  permissions: { create: 'create_account', edit: 'edit_account', delete: 'delete_account' },
  async fill(tx, account, input) {
    const to: ErrorCollector = { model: 'Account', items: [] };
    await applyAccountFields(tx, account, input, to);
    if (to.items.length > 0) throw new Invalid(to.items);
  },
  letGo: endConnection,
};

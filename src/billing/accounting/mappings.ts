import { type EntityClass, ref } from '@mikro-orm/core';
import { Account, type AccountType } from '../../directory/accounts/account.entity.ts';
import { Service } from '../../directory/master-data/named.entities.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { LINE_ITEM_TYPES } from '../line-items/line-item-type.entity.ts';
import type {
  UpdateLinkedCustomerInput,
  UpdateLinkedItemInput,
  UpdateLinkedLedgerAccountInput,
  UpdateLinkedVendorInput,
} from './accounting.inputs.ts';
import { retryExports } from './exports/retry-exports.ts';
import { LinkedCustomer, LinkedItem, LinkedLedgerAccount, type LinkedRecord, LinkedVendor } from './linked-records.entity.ts';
import { MANAGES_ACCOUNTING } from './settings.ts';

/** Says which customer account a customer is; null for none. An absent one stays. @throws Missing, Denied, Invalid */
export const updateLinkedCustomer = (ctx: Context, path: RecordPath, { customerAccountId }: UpdateLinkedCustomerInput): Promise<void> =>
  change(ctx, LinkedCustomer, path, 'linked_customer.updated', async (tx, record) => {
    const account = await accountOf(tx, record, { customerAccountId }, 'customer');
    if (account !== undefined) record.customerAccount = account && ref(account);
    return account !== undefined;
  });

/** Says which vendor account a vendor is; null for none. An absent one stays. @throws Missing, Denied, Invalid */
export const updateLinkedVendor = (ctx: Context, path: RecordPath, { vendorAccountId }: UpdateLinkedVendorInput): Promise<void> =>
  change(ctx, LinkedVendor, path, 'linked_vendor.updated', async (tx, record) => {
    const account = await accountOf(tx, record, { vendorAccountId }, 'vendor');
    if (account !== undefined) record.vendorAccount = account && ref(account);
    return account !== undefined;
  });

/** Says what a ledger account is used for; null for nothing. An absent use stays. @throws Missing, Denied */
export const updateLinkedLedgerAccount = (ctx: Context, path: RecordPath, { type }: UpdateLinkedLedgerAccountInput): Promise<void> =>
  change(ctx, LinkedLedgerAccount, path, 'linked_ledger_account.updated', async (_tx, record) => {
    if (type !== undefined) record.type = type;
    return type !== undefined;
  });

const TABLES = { AddOn: 'add_on', Service: 'service' } as const;

/** Says what an item is here; null for nothing. Absent fields stay. @throws Missing, Denied, Invalid */
export const updateLinkedItem = (ctx: Context, path: RecordPath, input: UpdateLinkedItemInput): Promise<void> =>
  change(ctx, LinkedItem, path, 'linked_item.updated', async (tx, record) => {
    const { integrationItemizableId: id = record.itemizableId, integrationItemizableType: type = record.itemizableType } = input;
    if (input.integrationItemizableId === undefined && input.integrationItemizableType === undefined) return false;
    const model = 'LinkedItem';
    const items: ErrorItem[] = [];
    if (!id !== !type) items.push({ model, field: id ? 'integrationItemizableType' : 'integrationItemizableId', key: 'required' });
    if (id && type && !(await exists(tx, record.company.id, type, id)))
      items.push({ model, field: 'integrationItemizableId', key: 'must_exist' });
    const itemizableId = id?.toLowerCase() ?? null;
    if (itemizableId && items.length === 0)
      items.push(...(await takenBy(tx, record, 'itemizable_id', itemizableId, 'integrationItemizableId')));
    if (items.length > 0) throw new Invalid(items);
    Object.assign(record, { itemizableId, itemizableType: type ?? null });
    return true;
  });

async function exists(tx: TxContext, companyId: string, type: keyof typeof TABLES | 'LineItemType', id: string): Promise<boolean> {
  if (type === 'LineItemType') return Object.values<string>(LINE_ITEM_TYPES).includes(id.toLowerCase());
  const entity = type === 'AddOn' ? AddOn : Service;
  const { found } = await resolveReferences(
    tx,
    { id },
    { found: [entity as EntityClass<AddOn | Service>, 'id'] },
    { companyId, items: [] },
  );
  return found !== undefined && found !== null && !found.discardedAt;
}

/** Locks a record, and notes that a person said what it is. @param to returns false if nothing was said */
async function change<T extends LinkedRecord>(
  ctx: Context,
  entity: EntityClass<T>,
  { id, companyId }: RecordPath,
  event: string,
  to: (tx: TxContext, record: T) => Promise<boolean>,
): Promise<void> {
  await transact(ctx, async (tx) => {
    const record = await find(tx, entity, id, { companyId, lock: true });
    allow(tx, MANAGES_ACCOUNTING);
    if (await to(tx, record)) {
      record.mappedByHand = true;
      await tx.em.flush();
      await retryExports(tx, { id: record.linkedAccount.id, companyId: record.company.id });
    }
    emitEvent(tx, event, record);
  });
}

/** The account that an input names. @throws Invalid unless it is kept, of that type, and no other record of the system is it */
async function accountOf(
  tx: TxContext,
  record: LinkedRecord,
  input: { customerAccountId?: string | null } | { vendorAccountId?: string | null },
  type: AccountType,
): Promise<Account | null | undefined> {
  const model = type === 'customer' ? 'LinkedCustomer' : 'LinkedVendor';
  const field = `${type}AccountId`;
  const items: ErrorItem[] = [];
  const { account } = (await resolveReferences(
    tx,
    input,
    { account: [Account, field] },
    { model, companyId: record.company.id, items },
  )) as { account: Account | null | undefined };
  if (account && (account.discardedAt || !account.accountTypes.includes(type))) items.push({ model, field, key: 'must_exist' });
  else if (account) items.push(...(await takenBy(tx, record, `${type}_account_id`, account.id, field)));
  if (items.length > 0) throw new Invalid(items);
  return account;
}

/** The problem of something of ours that another record of the same system is already. */
async function takenBy(tx: TxContext, record: LinkedRecord, column: string, id: string, field: string): Promise<ErrorItem[]> {
  const table = { customer_account_id: 'linked_customer', vendor_account_id: 'linked_vendor' }[column] ?? 'linked_item';
  const [other] = await queryIn<{ name: string }>(
    tx.em,
    `select data->>'name' as name from ${table} where ${column} = $1 and linked_account_id = $2 and id <> $3`,
    [id, record.linkedAccount.id, record.id],
  );
  const model = table === 'linked_customer' ? 'LinkedCustomer' : table === 'linked_vendor' ? 'LinkedVendor' : 'LinkedItem';
  return other ? [{ model, field, key: 'mapped_already', params: { name: other.name } }] : [];
}

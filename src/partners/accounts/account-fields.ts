import { ref } from '@mikro-orm/core';
import { Account, type AccountType } from '../../directory/accounts/account.entity.ts';
import { partnerOf } from '../../directory/accounts/connections.ts';
import { changeAddress, makeAddress } from '../../directory/contacts/addresses.ts';
import { changeContact, makeContact } from '../../directory/contacts/contacts.ts';
import { Label } from '../../directory/master-data/label.entity.ts';
import { Department } from '../../directory/master-data/named.entities.ts';
import { nameOf } from '../../directory/master-data/named-kinds.ts';
import { giveExternalId } from '../../directory/master-data/taken.ts';
import { forgetViewers } from '../../identity/access/viewer.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { changePart } from '../../platform/commands/change-part.ts';
import { applyInputParts } from '../../platform/commands/input-parts.ts';
import { afterCommit, type TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import type { CreateAccountInput, UpdateAccountInput } from './account.inputs.ts';

const OPPOSITE = { customer: 'vendor', vendor: 'customer' } as const;

/** Sets the fields of the input on an account; absent fields are kept. Contacts and addresses are changed in place. */
export async function applyAccountFields(
  tx: TxContext,
  account: Account,
  input: CreateAccountInput | UpdateAccountInput,
  to: ErrorCollector,
): Promise<void> {
  if (input.name !== undefined) account.name = nameOf(input.name, to.model, to.items);
  for (const field of ['accountingId', 'notes'] as const) if (input[field] !== undefined) account[field] = input[field]?.trim() || null;
  if (input.truckCount !== undefined) account.truckCount = input.truckCount ?? 0;
  if (input.autoAcceptOrders !== undefined) account.autoAcceptOrders = input.autoAcceptOrders ?? false;
  await giveExternalId(tx, 'account', account, input.externalId, to);
  await applyReferences(tx, account, input, to);
  await applyParts(tx, account, input, to);
  if (input.accountTypes === null) to.items.push({ model: to.model, field: 'accountTypes', key: 'account_needs_type' });
  if (input.accountTypes) await changeTypes(tx, account, input.accountTypes, to);
  if (input.connectedAccount?.truckCount !== undefined) await changeTheirs(tx, account, input.connectedAccount.truckCount, to);
  await applyInputParts(tx, account, input, to);
}

/** What an account refers to in its own company. */
export type Referring = Pick<Account, 'company' | 'department' | 'labelIds'>;

/** The department, by id or by name, and the labels: of the account's own company, and none that was discarded. */
export async function applyReferences(
  tx: TxContext,
  account: Referring,
  input: Pick<UpdateAccountInput, 'department' | 'departmentId'> & { labelIds?: string[] | null },
  to: ErrorCollector,
): Promise<void> {
  const companyId = account.company.id;
  const at = { model: to.model, companyId, items: to.items };
  const specs = { department: [Department, 'departmentId'], labels: [Label, 'labelIds'] } as const;
  const { department, labels } = await resolveReferences(tx, input, specs, at);
  const report = (field: string) => to.items.push({ model: to.model, field, key: 'must_exist' });
  if (department?.discardedAt && department.id !== account.department?.id) report('departmentId');
  for (const [i, label] of (labels ?? []).entries()) if (label?.discardedAt) report(`labelIds.${i}`);
  const named = input.department ? await departmentNamed(tx, companyId, input.department) : null;
  if (input.department && !named) report('department');
  if (department !== undefined) account.department = department && ref(department);
  else if (input.department !== undefined) account.department = named ? ref(named) : null;
  if (labels !== undefined) account.labelIds = [...new Set((labels ?? []).flatMap((label) => label?.id ?? []))];
}

/** A department that was not discarded, by its name, case aside. */
async function departmentNamed(tx: TxContext, companyId: string, name: string): Promise<Department | undefined> {
  const departments = await tx.em.find(Department, { company: companyId, discardedAt: null });
  return departments.find((one) => foldText(one.name) === foldText(name));
}

async function applyParts(tx: TxContext, account: Account, input: UpdateAccountInput, to: ErrorCollector): Promise<void> {
  for (const name of ['primaryContact', 'billingContact'] as const) {
    const given = input[name];
    if (given === undefined) continue;
    const known = await account[name]?.load();
    if (given === null || given._destroy) account[name] = null;
    else if (known) changePart(tx, account, known, () => changeContact(known, given, name, to));
    else account[name] = ref(makeContact(tx.em, account.company.id, given, name, to));
  }
  for (const name of ['address', 'billingAddress'] as const) {
    const given = input[name];
    if (given === undefined) continue;
    const known = await account[name]?.load();
    if (given === null || ('_destroy' in given && given._destroy)) account[name] = null;
    else if (known) changePart(tx, account, known, () => changeAddress(known, given, name, to));
    else account[name] = ref(makeAddress(tx.em, account.company.id, given, name, to));
  }
}

/**
 * Sets what the other company is to us. If the two are connected, we become the opposite to them, so that the two sides never contradict
 * each other.
 */
async function changeTypes(tx: TxContext, account: Account, given: AccountType[], to: ErrorCollector): Promise<void> {
  if (given.length === 0) to.items.push({ model: to.model, field: 'accountTypes', key: 'account_needs_type' });
  const types = [...new Set(given)];
  if ([...types].sort().join() === [...account.accountTypes].sort().join()) return;
  account.accountTypes = types;
  const theirs = await otherSide(tx, account);
  if (!theirs) return;
  theirs.accountTypes = types.map((type): AccountType => OPPOSITE[type]);
  afterCommit(tx, () => forgetViewers(tx.em));
}

/** Sets on the other company's account how many trucks we can send it on a day. It is the only field of its account that we may set. */
export async function changeTheirs(
  tx: TxContext,
  account: Account,
  truckCount: number,
  to: ErrorCollector,
  field = 'connectedAccount',
): Promise<void> {
  const theirs = await otherSide(tx, account);
  if (theirs) theirs.truckCount = truckCount;
  else to.items.push({ model: to.model, field, key: 'not_connected' });
}

/** The connected company's account for us; undefined when there is none, and once either side has ended the connection. */
async function otherSide(tx: TxContext, account: Account): Promise<Account | undefined> {
  const partner = await partnerOf(tx, account);
  if (!partner) return undefined;
  actOnBehalfOf(partner);
  const [theirs] = await tx.em.find(
    Account,
    { company: partner, connectedCompany: account.company.id },
    { filters: { tenant: false }, limit: 1 },
  );
  return theirs;
}

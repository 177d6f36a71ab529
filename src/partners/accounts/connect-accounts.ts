import { ref } from '@mikro-orm/core';
import { Account, type AccountType } from '../../directory/accounts/account.entity.ts';
import { lockPair } from '../../directory/accounts/connections.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { ofPlatform } from '../../directory/companies/find-company.ts';
import { collectTaken } from '../../directory/master-data/taken.ts';
import { forgetViewers } from '../../identity/access/viewer.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import type { ConnectAccountInput, ConnectCompaniesInput } from './account.inputs.ts';

/** Reads and writes rows of both companies, across families, to connect them. */
const beyond = { filters: { tenant: false } } as const;
const OPPOSITE = { customer: 'vendor', vendor: 'customer' } as const;

/** Connects a company of the caller's with any other one by its platform id. @throws Denied, Missing, Invalid, TooMany */
export async function connectAccount(ctx: Context, companyId: string | undefined, input: ConnectAccountInput): Promise<{ id: string }> {
  const own = companyOf(ctx, companyId);
  allow(ctx, 'connect_companies');
  // Before the transaction: counting uses a separate connection.
  const named = await ofPlatform(ctx, input.platformId);
  return transact(ctx, async (tx) => {
    const sender = await tx.em.findOneOrFail(Company, own);
    // Its side of the connection is made here too.
    if (named) actOnBehalfOf(named.id);
    const receiver = named && (await tx.em.findOne(Company, { id: named.id, discardedAt: null }, beyond));
    if (!receiver) throw refuse('platformId', 'must_exist');
    if (receiver.id === sender.id) throw refuse('platformId', 'connects_to_itself');
    return connectWithin(tx, sender, receiver, input.accountTypes, 'accountTypes');
  });
}

/** Connects two companies that the caller sees: any two for a platform administrator. @returns the sender's account */
export function connectCompanies(ctx: Context, input: ConnectCompaniesInput): Promise<{ id: string }> {
  const viewer = allow(ctx, 'connect_companies');
  return transact(ctx, async (tx) => {
    const seen = async (id: string, field: string) => {
      const company = viewer.companyIds.includes(id.toLowerCase()) ? await tx.em.findOne(Company, id.toLowerCase()) : null;
      if (!company || company.discardedAt) throw refuse(field, 'must_exist');
      return company;
    };
    const sender = await seen(input.senderCompanyId, 'senderCompanyId');
    const receiver = await seen(input.receiverCompanyId, 'receiverCompanyId');
    if (receiver.id === sender.id) throw refuse('receiverCompanyId', 'connects_to_itself');
    return connectWithin(tx, sender, receiver, input.senderAccountTypes, 'senderAccountTypes');
  });
}

/**
 * Makes the accounts of both sides, with opposite types, or takes up those that were discarded. Both sides at once follow each other.
 * @returns the sender's account
 * @throws Invalid when they are connected already, or no type is given
 */
export async function connectWithin(
  tx: TxContext,
  sender: Company,
  receiver: Company,
  types: readonly AccountType[],
  field: string,
): Promise<Account> {
  if (types.length === 0) throw refuse(field, 'account_needs_type');
  // If either company ends at the same time, they are connected before it and the end of the company ends the connection; or they are not
  // connected. The company is locked before the pair, as there.
  const text = 'select id, discarded_at from company where id = any($1) order by id for share';
  const sides = await queryIn<{ id: string; discarded_at: string | null }>(tx.em, text, [[sender.id, receiver.id]]);
  if (sides.some((side) => side.discarded_at)) throw refuse('', 'must_exist');
  await lockPair(tx, sender.id, receiver.id);
  const ours = await accountOf(tx, sender, receiver);
  const theirs = await accountOf(tx, receiver, sender);
  if (ours && theirs && !ours.discardedAt && !theirs.discardedAt) throw refuse('', 'already_connected');
  const opposite = types.map((type): AccountType => OPPOSITE[type]);
  const account = await connected(tx, ours, sender, receiver, types);
  await connected(tx, theirs, receiver, sender, opposite);
  afterCommit(tx, () => forgetViewers(tx.em));
  return account;
}

const accountOf = (tx: TxContext, owner: Company, other: Company) =>
  tx.em.findOne(Account, { company: owner.id, connectedCompany: other.id }, beyond);

async function connected(
  tx: TxContext,
  known: Account | null,
  owner: Company,
  other: Company,
  types: readonly AccountType[],
): Promise<Account> {
  const account = known ?? Object.assign(new Account(), { company: ref(owner), connectedCompany: ref(other), name: other.legalName });
  if (known?.discardedAt) await leaveExternalId(tx, known);
  account.accountTypes = [...new Set(types)];
  account.discardedAt = null;
  if (!known) tx.em.persist(account);
  emitEvent(tx, 'account.connected', account, { connected_company_id: other.id });
  return account;
}

/** An account that comes back leaves its external id to the one that has got it meanwhile: imports go there. */
async function leaveExternalId(tx: TxContext, account: Account): Promise<void> {
  const to: ErrorCollector = { model: 'Account', items: [] };
  if (account.externalId) await collectTaken(tx, 'account', account, ['externalId'], to);
  if (to.items.length > 0) account.externalId = null;
}

const refuse = (field: string, key: string) => new Invalid([{ model: 'Account', field, key }]);

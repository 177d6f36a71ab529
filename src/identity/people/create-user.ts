import { ref } from '@mikro-orm/core';
import { holdCompany } from '../../directory/accounts/connections.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, Invalid, Missing } from '../../platform/errors.ts';
import { passLimitsOn } from '../access/resource-scopes.ts';
import { invite } from './invite-user.ts';
import type { CreateUserInput } from './user.inputs.ts';
import { applyUserFields } from './user-fields.ts';

/**
 * Adds a person to a company.
 * @param companyId of a company-scoped path
 * @throws Denied, Missing, Invalid with every wrong field at once: also for roles that permit more than the caller may
 */
export function createUser(ctx: Context, input: CreateUserInput, companyId?: string | null): Promise<User> {
  allow(ctx, 'create_user');
  return transact(ctx, async (tx) => {
    const owner = owningCompany(tx, input, companyId);
    if (!(await holdCompany(tx, owner))) throw new Missing();
    const user = Object.assign(new User(), { company: ref(Company, owner) });
    const to: ErrorCollector = { model: 'User', items: [] };
    await applyUserFields(tx, user, input, to, true);
    if (to.items.length > 0) throw new Invalid(to.items);
    tx.em.persist(user);
    passLimitsOn(tx, user);
    for (const channel of ['email', 'sms'] as const) if (input.sendInvite?.[channel]) await invite(tx, user, channel);
    emitEvent(tx, 'user.created', user);
    return user;
  });
}

/** The path's company, else the body's, else the caller's own. */
function owningCompany(tx: TxContext, input: CreateUserInput, companyId: string | null | undefined): string {
  const wanted = input.companyId?.toLowerCase();
  const owner = companyId || !wanted ? companyOf(tx, companyId) : wanted;
  const invalid = (key: string) => new Invalid([{ model: 'User', field: 'companyId', key }]);
  if (!viewerOf(tx).companyIds.includes(owner)) throw invalid('must_exist');
  if (wanted && wanted !== owner) throw invalid('user_other_company');
  return owner;
}

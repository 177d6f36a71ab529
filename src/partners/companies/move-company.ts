import { ref } from '@mikro-orm/core';
import { holdCompany } from '../../directory/accounts/connections.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { beyondOfAll, withThoseAbove } from '../../identity/access/powers-of-people.ts';
import { forgetViewers } from '../../identity/access/viewer.ts';
import { strandedBelow } from '../../identity/sso/sso-only.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Denied, Invalid } from '../../platform/errors.ts';
import { endSharesOfStrangers } from '../accounts/end-connection.ts';
import { isPlatformAdmin } from './create-company.ts';

/**
 * Moves a company, with everything below it, below another one of the caller's family. People above it have their roles in it. Therefore
 * the caller must have the permissions of those who will be above it, and of those who no longer will be, as when roles are given and
 * taken. Only a platform administrator takes a company out of its family (null; absent, it stays where it is); shares that only the family
 * allowed then end. The database refuses circles, also of two moves at once.
 * @throws Missing, Denied, Invalid, also with the permissions of people of the other company that the caller lacks
 */
export async function moveCompany(ctx: Context, id: string, parentCompanyId: string | null | undefined): Promise<void> {
  companyOf(ctx, id);
  const viewer = allow(ctx, 'edit_company');
  if (parentCompanyId === undefined) return;
  if (viewer.siteIds) throw new Denied('edit_company', 'permission_beyond_sites');
  return transact(ctx, async (tx) => {
    const refuse = (key: string) => new Invalid([{ model: 'Company', field: 'parentCompanyId', key }]);
    if (parentCompanyId === null && !isPlatformAdmin(viewer)) throw refuse('stays_in_family');
    if (parentCompanyId !== null && !viewer.companyIds.includes(parentCompanyId.toLowerCase())) throw refuse('must_exist');
    const company = await find(tx, Company, id, { lock: true });
    const parent = parentCompanyId === null ? null : await find(tx, Company, parentCompanyId);
    // Below a company that is discarded meanwhile nobody above would see it any more.
    if (parent && !(await holdCompany(tx, parent.id))) throw refuse('must_exist');
    const permissions = await beyondOfThoseAbove(tx, company, parent);
    if (permissions.length > 0)
      throw new Invalid([
        { model: 'Company', field: 'parentCompanyId', key: 'company_not_yours', params: { permissions: permissions.join(', ') } },
      ]);
    company.parentCompany = parent ? ref(parent) : null;
    await tx.em.flush();
    if (await strandedBelow(tx, company.id)) throw refuse('provider_stays_behind');
    await endSharesOfStrangers(tx, company.id);
    emitEvent(tx, 'company.moved', company, { parent_company_id: parentCompanyId });
    afterCommit(tx, () => forgetViewers(tx.em));
  });
}

/** The permissions that the caller lacks of people and machine clients who will be above a company, or no longer will be. */
async function beyondOfThoseAbove(tx: TxContext, company: Company, parent: Company | null): Promise<string[]> {
  const before = company.parentCompany ? await withThoseAbove(tx, company.parentCompany.id) : [];
  const after = parent ? await withThoseAbove(tx, parent.id) : [];
  const changed = [...before.filter((id) => !after.includes(id)), ...after.filter((id) => !before.includes(id))];
  return changed.length === 0 ? [] : beyondOfAll(tx, changed);
}

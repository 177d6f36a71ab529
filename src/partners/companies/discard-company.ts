import { Company } from '../../directory/companies/company.entity.ts';
import { forgetViewers } from '../../identity/access/viewer.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { endCompany } from './end-company.ts';

/**
 * Discards a company: its people and machine clients are signed out at once, and it is visible nowhere; what was done with it stays.
 * @throws Missing, Denied, Invalid for the caller's own company and for one that still has children
 */
export function discardCompany(ctx: Context, id: string): Promise<void> {
  companyOf(ctx, id);
  const viewer = allow(ctx, 'delete_company');
  return transact(ctx, async (tx) => {
    const refuse = (key: string) => new Invalid([{ model: 'Company', field: '', key }]);
    if (id.toLowerCase() === viewer.companyId) throw refuse('company_is_yours');
    const company = await find(tx, Company, id, { lock: true });
    const child = await tx.em.find(Company, { parentCompany: company.id, discardedAt: null }, { filters: { tenant: false }, limit: 1 });
    if (child.length > 0) throw refuse('has_children');
    await endCompany(tx, company);
    company.discardedAt = tx.tx.now;
    company.usageStatus = 'deleted';
    emitEvent(tx, 'company.discarded', company);
    afterCommit(tx, () => forgetViewers(tx.em));
  });
}

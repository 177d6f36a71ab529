import { Company } from '../../directory/companies/company.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { lacking } from './may-give.ts';
import { fieldOf, TOGGLES, type ToggleName } from './toggles.ts';
import { forgetViewers } from './viewer.ts';

/**
 * Sets the toggles of a company, which add permissions to its roles beyond the matrix: absent toggles are kept, null sets the default, off.
 * @throws Missing; Denied without `edit_company`; Invalid for a toggle that grants what the caller does not have
 */
export function setToggles(ctx: Context, companyId: string, wishes: Partial<Record<ToggleName, boolean | null>>): Promise<Company> {
  return transact(ctx, async (tx) => {
    const company = await find(tx, Company, companyId, { lock: true });
    allow(tx, 'edit_company');
    const on = new Set(company.permissionToggles);
    const names = (Object.keys(TOGGLES) as ToggleName[]).filter((name) => wishes[name] !== undefined && on.has(name) !== !!wishes[name]);
    const items = names.flatMap((name) => {
      const permissions = lacking(tx, TOGGLES[name].grants).join(', ');
      return permissions === ''
        ? []
        : [{ model: 'PermissionToggles', field: fieldOf(name), key: 'permission_not_yours', params: { permissions } }];
    });
    if (items.length > 0) throw new Invalid(items);
    if (names.length === 0) return company;
    for (const name of names) if (!on.delete(name)) on.add(name);
    company.permissionToggles = [...on].sort();
    emitEvent(tx, 'company.updated', company);
    afterCommit(tx, () => forgetViewers(tx.em));
    return company;
  });
}

import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';

/**
 * The company of a new record: that of the path, else that of the body, else the caller's.
 * @param model type name for error items
 * @throws Missing for a path that the caller may not see, Invalid on `companyId` for a body's, or when the two differ
 */
export function owningCompany(ctx: Context, model: string, input: { companyId?: string | null }, companyId?: string | null): string {
  const wanted = input.companyId?.toLowerCase();
  const owner = companyId || !wanted ? companyOf(ctx, companyId) : wanted;
  const invalid = (key: string) => new Invalid([{ model, field: 'companyId', key }]);
  if (!viewerOf(ctx).companyIds.includes(owner)) throw invalid('must_exist');
  if (wanted && wanted !== owner) throw invalid('other_company');
  return owner;
}

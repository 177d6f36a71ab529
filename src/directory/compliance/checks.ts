import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { Account } from '../accounts/account.entity.ts';
import type { ComplianceCheck, ComplianceChecklistItem, ComplianceIssue } from './checklist.ts';
import { ComplianceDocument, ComplianceDocumentType } from './compliance.entity.ts';
import { type Compliant, type CompliantPath, compliantOf } from './documents.ts';
import { type CompliantAs, issuesOf } from './issues.ts';

/** As what a record has to comply with what a company asks for. */
function asWhatComplies({ record, companyId }: Compliant): CompliantAs {
  if (record instanceof Account) return 'vendor';
  if (!('roles' in record)) return 'equipment';
  return record.company.id === companyId ? 'internal_driver' : 'shared_driver';
}

const ASKED = {
  vendor: 'requiredVendors',
  internal_driver: 'requiredInternalDrivers',
  shared_driver: 'requiredSharedDrivers',
  equipment: 'requiredEquipment',
} as const satisfies Record<CompliantAs, keyof ComplianceDocumentType>;

/** The kinds asked of a record, by name, each with the document that runs out last. @throws Missing, Denied */
export async function checklistOf(ctx: Context, path: CompliantPath): Promise<ComplianceChecklistItem[]> {
  const compliant = await compliantOf(ctx, path, 'compliance_read');
  const own = { company: compliant.companyId, discardedAt: null };
  const everywhere = { filters: { tenant: false } } as const;
  const types = await ctx.em.find(
    ComplianceDocumentType,
    { ...own, [ASKED[asWhatComplies(compliant)]]: true },
    { ...everywhere, orderBy: { name: 'asc', id: 'asc' } },
  );
  const documents = await ctx.em.find(
    ComplianceDocument,
    { ...own, compliantId: compliant.id },
    { ...everywhere, orderBy: { expiresAt: 'desc nulls first', id: 'desc' } },
  );
  return types.map((type) => {
    const document = documents.find(({ complianceDocumentType }) => complianceDocumentType.id === type.id);
    // The relation as a record, as planned reads return it.
    const described = document && (Object.assign(Object.create(document), { complianceDocumentType: type }) as ComplianceDocument);
    return { complianceDocumentType: type, complianceDocument: described ?? null };
  });
}

/** @throws Missing for what the caller may not see, Denied without `compliance_read` */
export async function checkOf(
  ctx: Context,
  ids: { accountId?: string; userId?: string; equipmentId?: string },
  companyId: string,
): Promise<ComplianceCheck> {
  const viewer = viewerOf(ctx);
  // Drivers ask about themselves.
  if (!(ids.userId === viewer.id && viewer.can('compliance_read:own') && !ids.accountId && !ids.equipmentId)) allow(ctx, 'compliance_read');
  const paths: CompliantPath[] = [
    ...(ids.accountId ? [{ compliantType: 'Account' as const, compliantId: ids.accountId, companyId }] : []),
    ...(ids.userId ? [{ compliantType: 'User' as const, compliantId: ids.userId, companyId }] : []),
    ...(ids.equipmentId ? [{ compliantType: 'Equipment' as const, compliantId: ids.equipmentId, companyId }] : []),
  ];
  const subjects: Compliant[] = [];
  for (const path of paths) subjects.push(await compliantOf(ctx, path, 'compliance_read'));
  const names = new Map(subjects.map(({ id, record }) => [id, nameOfCompliant(record)]));
  const issues = await issuesOf(
    ctx,
    companyId,
    subjects.map((one) => ({ as: asWhatComplies(one), id: one.id })),
    presentTime(),
  );
  const issuesBy = (blocking: boolean): ComplianceIssue[] =>
    issues
      .filter((issue) => issue.blocking === blocking)
      .map(({ type, subjectId, documentType, documentTypeId, expiresAt }) => ({
        ...{ type, documentType, documentTypeId, expiresAt },
        entity: names.get(subjectId) ?? null,
      }));
  return { hasIssues: issues.length > 0, warnings: issuesBy(false), blocking: issuesBy(true) };
}

/** The name of a vendor, driver or truck. */
export const nameOfCompliant = (record: Compliant['record']): string =>
  'firstName' in record ? `${record.firstName} ${record.lastName}`.trim() : record.name;

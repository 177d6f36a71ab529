import { allow, companyOf, find, readableBy, viewerOf } from '../../../platform/authz/authorization.ts';
import { emitEvent, transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { type ArchiveSettings, archiveSettings } from '../../../platform/storage/archive-settings.ts';
import { Company } from '../company.entity.ts';
import { CompanySettings, usualSettings } from './company-settings.entity.ts';
import type { UpdateCompanySettingsInput } from './company-settings.inputs.ts';
import { settingNames } from './setting.ts';

/**
 * The settings of a company of the caller's family.
 * @throws Unauthenticated, Missing
 */
export async function settingsOf(ctx: Context, companyId?: string | null): Promise<CompanySettings> {
  const id = companyOf(ctx, companyId);
  const company = await find(ctx, Company, id, { companyId: id });
  const tenant = readableBy(viewerOf(ctx), { companyIds: [id] });
  return (await ctx.em.findOne(CompanySettings, { id }, { filters: { tenant } })) ?? usualSettings(company);
}

/**
 * Changes settings of a company: null is the default, absent settings are kept.
 * @throws Unauthenticated, Denied, Missing, Invalid for archives of positions where the operator keeps none, and for archives that are deleted before their
 *   records leave
 */
export function updateCompanySettings(
  ctx: Context,
  companyId: string | null | undefined,
  input: UpdateCompanySettingsInput,
): Promise<CompanySettings> {
  allow(ctx, 'edit_company');
  const id = companyOf(ctx, companyId);
  return transact(ctx, async (tx) => {
    await queryIn(tx.em, 'insert into company_settings (id, company_id) values ($1, $1) on conflict do nothing', [id]);
    const settings = await find(tx, CompanySettings, id, { companyId: id, lock: true });
    const given = input as Record<string, unknown>;
    // Whoever had it when the operator switched archives off keeps it, and may say so again.
    if (given.archivePositions && !settings.archivePositions && !archiveSettings.of(tx.em).on)
      throw new Invalid([{ model: 'CompanySettings', field: 'archivePositions', key: 'archives_off' }]);
    const usual = new CompanySettings() as object as Record<string, unknown>;
    for (const name of settingNames(CompanySettings))
      if (given[name] !== undefined) Object.assign(settings, { [name]: given[name] ?? usual[name] });
    refuseEarlyEnds(settings, given, archiveSettings.of(tx.em));
    emitEvent(tx, 'company_settings.updated', settings);
    return settings;
  });
}

/** The time for which records are at hand, and the time after which their archives are deleted, both in the same unit. */
const ENDS = [
  ['auditRetentionYears', 'auditDeletedAfterYears', 'auditYears'],
  ['importRetentionYears', 'importsDeletedAfterYears', 'importYears'],
  ['positionRetentionDays', 'positionsDeletedAfterDays', undefined],
] as const;

/** @throws Invalid at the given setting by which archives would be deleted before their records have left; what nobody gives stays, as it was allowed once */
function refuseEarlyEnds(settings: CompanySettings, given: Record<string, unknown>, usual: Readonly<ArchiveSettings>): void {
  const items: ErrorItem[] = [];
  for (const [atHand, end, operator] of ENDS) {
    const least = settings[atHand] || (operator ? usual[operator] : 0);
    if (given[atHand] === undefined && given[end] === undefined) continue;
    if (settings[end] > 0 && settings[end] < least)
      items.push({ model: 'CompanySettings', field: end, key: 'deleted_before_it_leaves', params: { least } });
  }
  if (items.length > 0) throw new Invalid(items);
}

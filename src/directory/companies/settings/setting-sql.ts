import { CompanySettings } from './company-settings.entity.ts';
import { usualSql } from './setting.ts';

/**
 * A setting in SQL, with its default for a company that has no row.
 * @param t alias of `company_settings` in a left join
 */
export function settingSql(t: string, name: string): string {
  const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `coalesce(${t}.${column}, ${usualSql(CompanySettings, name)})`;
}

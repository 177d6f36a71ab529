import { stringEnum } from '../../platform/model/columns.ts';

export const CompanyShareableType = stringEnum('CompanyShareableType', ['User', 'Equipment', 'Site']);
export type CompanyShareableType = keyof typeof CompanyShareableType;

/** The condition that the share `s` holds now: an expired share shows nothing, whatever a cache remembers. */
export const stillValid = (s: string): string => `(${s}.valid_until is null or ${s}.valid_until > now())`;

/** The condition that a record of table `t` is shared with one of the companies `p`, now. */
export const sharedWith =
  (type: CompanyShareableType) =>
  (t: string, p: string): string =>
    `exists (select 1 from company_share s where s.company_shareable_id = ${t}.id and s.company_shareable_type = '${type}'
      and s.receiver_company_id = any(${p}) and ${stillValid('s')})`;

/** The records shared with companies now, in the form for row-level security: rows whose `column` is among the ids. */
export const amongShared = (type: CompanyShareableType, column = 'id') => ({
  column,
  ids: (companies: string): string =>
    `select s.company_shareable_id from company_share s where s.company_shareable_type = '${type}'
      and s.receiver_company_id = any(${companies}) and ${stillValid('s')}`,
});

/** The share `s` by which one of the companies `p` has the record of table `t`, now. */
export const shareOf =
  (type: CompanyShareableType) =>
  (s: string, t: string, p: string): string =>
    `${s}.company_shareable_id = ${t}.id and ${s}.company_shareable_type = '${type}' and ${s}.receiver_company_id = any(${p}) and ${stillValid(s)}`;

import type { Context } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { stringEnum } from '../../platform/model/columns.ts';

/** As what somebody has to comply. */
export type CompliantAs = 'vendor' | 'internal_driver' | 'shared_driver' | 'equipment';

export interface Subject {
  as: CompliantAs;
  id: string;
}

export const ComplianceIssueType = stringEnum('ComplianceIssueType', ['missing', 'expired', 'expiring']);
export type ComplianceIssueType = keyof typeof ComplianceIssueType;

/** A problem of the compliance documents of a vendor, driver or truck. */
export interface Issue {
  type: ComplianceIssueType;
  /** The id of the record that has the issue. */
  subjectId: string;
  documentTypeId: string;
  documentType: string;
  expiresAt: Date | null;
  /** Keeps it from being sent out: missing or expired, of a kind that gates dispatch. */
  blocking: boolean;
}

/** Days before a document expires from which there is a warning. */
export const WARNING_DAYS = 30;

/**
 * Joins what a company asks of a subject, and what of it is not in order at a moment: `t` the type, `d` the document that counts.
 * @param subject alias with `kind` (CompliantAs) and `id`; the other parameters are SQL expressions
 */
export const lacksOf = (subject: string, company: string, at: string): string =>
  `join compliance_document_type t on t.company_id = ${company} and t.discarded_at is null and case ${subject}.kind
    when 'vendor' then t.required_vendors when 'internal_driver' then t.required_internal_drivers
    when 'shared_driver' then t.required_shared_drivers else t.required_equipment end
  left join lateral (
    select x.id, x.expires_at from compliance_document x
    where x.company_id = t.company_id and x.compliant_id = ${subject}.id and x.compliance_document_type_id = t.id and x.discarded_at is null
    order by x.expires_at desc nulls first limit 1) d on true
  where d.id is null or d.expires_at <= ${at} + interval '${WARNING_DAYS} days'`;
/** The problem with the document `d`, if there is one. */
export const lackAt = (at: string): string =>
  `case when d.id is null then 'missing' when d.expires_at <= ${at} then 'expired' else 'expiring' end`;

const AT = '$4::timestamptz';
/** `$1` company, `$2` as what, `$3` ids, `$4` the moment by which it must hold. */
const ISSUES = namedStatement(`select s.id as "subjectId", t.id as "documentTypeId", t.name as "documentType", d.expires_at as "expiresAt",
    ${lackAt(AT)} as type, t.dispatch_gating and (d.id is null or d.expires_at <= ${AT}) as blocking
  from unnest($2::text[], $3::uuid[]) with ordinality as s (kind, id, place)
  ${lacksOf('s', '$1', AT)}
  order by s.place, lower(t.name)`);

/**
 * Returns the problems of sending these out at a given time: required documents that are missing, have expired by then or expire soon after
 * (DOMAIN 1.2 `assign`). One statement.
 */
export async function issuesOf(ctx: Context, companyId: string, subjects: readonly Subject[], at: Date): Promise<Issue[]> {
  if (subjects.length === 0) return [];
  const values = [companyId, subjects.map(({ as }) => as), subjects.map(({ id }) => id), at];
  return queryOf<Issue>(ctx, ISSUES, values);
}

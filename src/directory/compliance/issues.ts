import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce } from '../../platform/database/planned-once.ts';
import { foresee, queryIn, queryOf } from '../../platform/database/sql.ts';
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
const WARNING_DAYS = 30;

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

/** @param s the rows of which it is asked: as what, who, and their places @param at the moment by which it must hold */
const issuesSql = (
  s: string,
  at: string,
  more = '',
): string => `select ${more}s.id as "subjectId", t.id as "documentTypeId", t.name as "documentType",
    d.expires_at as "expiresAt", ${lackAt(at)} as type, t.dispatch_gating and (d.id is null or d.expires_at <= ${at}) as blocking
  from ${s}
  ${lacksOf('s', '$1', at)}
  order by s.place, lower(t.name)`;
/** `$1` company, `$2` as what, `$3` ids, `$4` the moment by which it must hold. */
const ISSUES = namedStatement(issuesSql('unnest($2::text[], $3::uuid[]) with ordinality as s (kind, id, place)', '$4::timestamptz'));
/** `$1` company, `$2` as what, `$3` ids, `$4` the moments by which they must hold, `$5` which question each is of. */
const ISSUES_OF_MANY = namedStatement(
  issuesSql(
    'unnest($2::text[], $3::uuid[], $4::timestamptz[], $5::int[]) with ordinality as s (kind, id, at, question, place)',
    's.at',
    's.question, ',
  ),
);
planOnce(ISSUES_OF_MANY);

/**
 * Returns the problems of sending these out at a given time: required documents that are missing, have expired by then or expire soon after
 * (DOMAIN 1.2 `assign`). One statement.
 */
export async function issuesOf(ctx: Context, companyId: string, subjects: readonly Subject[], at: Date): Promise<Issue[]> {
  if (subjects.length === 0) return [];
  return queryOf<Issue>(ctx, ISSUES, valuesOf(companyId, { subjects, at }));
}

/** Who is to be sent out, and when. */
export interface Sending {
  subjects: readonly Subject[];
  at: Date;
}

const valuesOf = (companyId: string, { subjects, at }: Sending) => [
  companyId,
  subjects.map(({ as }) => as),
  subjects.map(({ id }) => id),
  at,
];

/** Reads at once what the transaction will ask `issuesOf` one by one. */
export async function foreseeIssues({ em }: TxContext, companyId: string, sendings: readonly Sending[]): Promise<void> {
  const asked = sendings.flatMap(({ subjects, at }, question) => subjects.map(({ as, id }) => ({ as, id, at, question })));
  if (asked.length === 0) return;
  const found = await queryIn<Issue & { question: number }>(em, ISSUES_OF_MANY, [
    companyId,
    asked.map(({ as }) => as),
    asked.map(({ id }) => id),
    asked.map(({ at }) => at),
    asked.map(({ question }) => question),
  ]);
  const byQuestion = Map.groupBy(found, ({ question }) => question);
  for (const [question, sending] of sendings.entries())
    if (sending.subjects.length > 0) foresee(em, ISSUES, valuesOf(companyId, sending), byQuestion.get(question) ?? []);
}

import { TICKET_CONFLICTS } from './match-enums.ts';

/** SQL: a ticket of load match `m` contradicts something else, and nobody said that it is right. */
export const IS_CONFLICT = (m: string): string => `${m}.result = 'variance' and ${m}.variances && '{${TICKET_CONFLICTS.join(',')}}'`;

/** SQL of the conflicts of job `j` in books whose company has them keep invoices from being approved, as `JobFacts` has them. */
export const CONFLICTS = `coalesce((select json_agg(json_build_object('companyId', cm.company_id, 'side', cm.side, 'loadId', cm.load_id))
    from load_match cm join company_settings ms on ms.id = cm.company_id and ms.ticket_conflict_blocks where cm.job_id = j.id and ${IS_CONFLICT('cm')}), '[]')`;

/** SQL: a load of invoice `t` has such a conflict. */
export const hasConflictSql = (t: string): string =>
  `exists (select from load_match cm where cm.invoice_id = ${t}.id and ${IS_CONFLICT('cm')})`;

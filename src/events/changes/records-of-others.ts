import { type CompanyShareableType, stillValid } from '../../directory/shares/shared-with.ts';
import type { RecordType } from './record-types.ts';

/** Where a reading of ids is: behind this record, in the order in which they are read. */
export interface Place {
  at: string;
  id: string;
}

/** The statement that finds the records of other companies which a company may see. */
export interface OfOthers {
  first: Place;
  /** In the feed they are the company's own, although their rows are of another one. */
  own?: true;
  /** Finds `id` and `at` behind the place (`$2`, `$3`) for a company (`$1`), at most `$4`. */
  sql: string;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
export const FIRST_PLACE: Place = { at: '-infinity', id: NO_ID };

/** Finds the records that were sent to a company, by the column that names it. */
const sentTo = (table: string, column: string): OfOthers => ({
  first: FIRST_PLACE,
  sql: `select id, created_at::text as at from ${table}
    where ${column} = $1 and company_id <> $1 and (created_at, id) > ($2::timestamptz, $3::uuid) order by created_at, id limit $4`,
});

/** Finds the records that are shared with a company now. Several may share one record, which is found once. */
const sharedAs = (type: CompanyShareableType): OfOthers => ({
  first: FIRST_PLACE,
  sql: `select distinct s.company_shareable_id as id, '-infinity' as at from company_share s
    where s.receiver_company_id = $1 and s.company_shareable_type = '${type}' and s.company_shareable_id > $3::uuid and $2::text is not null
      and ${stillValid('s')} order by 1 limit $4`,
});

/**
 * Finds records that hang on jobs that were passed on: job by job, so that each page is read by the index of the links alone. `offset 0` keeps PostgreSQL from joining
 * whole tables instead.
 * @param side the column of a link that names the company
 * @param ids finds the records of the job `j.id`, each of them for one job only
 */
const ofJobs = (ids: string, side = 'vendor_company_id'): OfOthers => ({
  first: { at: NO_ID, id: NO_ID },
  sql: `select x.id, j.id::text as at
    from (select distinct job_id as id from job_assignment where ${side} = $1 and job_id >= $2::uuid order by job_id) j cross join lateral (${ids} offset 0) x
    where x.company_id <> $1 and (j.id, x.id) > ($2::uuid, $3::uuid) order by j.id, x.id limit $4`,
});

/** There is no job of the record before this one that the company sees, so that several jobs name a record once. */
const firstOf = (column: string, side: string): string => `not exists (select from job f join job_assignment fa on fa.job_id = f.id
  where f.${column} = r.id and fa.${side} = $1 and f.id < j.id)`;

const filesOf = (type: string, of: string): string =>
  `select r.id, r.company_id from file_attachment r where r.file_attachable_type = '${type}' and r.file_attachable_id ${of}`;

/**
 * The types of which a company sees records of others, and what says that it may: the links of work, shares, and the columns that name a receiver
 * (`change_readers` of the database says the same the other way round). Asked of the table of a type itself, PostgreSQL would look through all rows of
 * all companies.
 */
export const OF_OTHERS: Partial<Record<RecordType, readonly OfOthers[]>> = {
  AddOnCharge: [sentTo('add_on_charge', 'sent_to_company_id')],
  CompanyShare: [sentTo('company_share', 'receiver_company_id')],
  Invoice: [sentTo('invoice', 'sent_to_company_id')],
  Settlement: [sentTo('settlement', 'sent_to_company_id')],
  Equipment: [sharedAs('Equipment')],
  Site: [sharedAs('Site')],
  User: [sharedAs('User')],
  Job: [ofJobs('select r.id, r.company_id from job r where r.id = j.id')],
  Load: [ofJobs('select r.id, r.company_id from load r where r.job_id = j.id')],
  Order: [
    ofJobs(
      `select r.id, r.company_id from job o join orders r on r.id = o.order_id where o.id = j.id and ${firstOf('order_id', 'vendor_company_id')}`,
    ),
  ],
  FileAttachment: [
    ofJobs(`${filesOf('Job', '= j.id')} union all ${filesOf('Load', 'in (select l.id from load l where l.job_id = j.id)')}`),
  ],
  // Of a link between two others the company may have passed the job on.
  JobAssignment: [
    ofJobs('select r.id, r.company_id from job_assignment r where r.job_id = j.id and r.vendor_company_id = $1'),
    {
      // They are of the company that made them, while their rows are of the job's owner.
      own: true,
      ...ofJobs(
        'select r.id, r.company_id from job_assignment r where r.job_id = j.id and r.customer_company_id = $1 and r.vendor_company_id is distinct from $1',
        'customer_company_id',
      ),
    },
  ],
  DriverDay: [
    ofJobs(
      `select r.id, r.company_id from job o join driver_day r on r.id = o.driver_day_id where o.id = j.id and ${firstOf('driver_day_id', 'customer_company_id')}`,
      'customer_company_id',
    ),
  ],
};

import type { TestApp } from '../../helpers/app.ts';

/** Columns that lead to a record of another company: no machine can guard them by itself. Who writes them has found the record by a statement of its own. */
export const LEADS_OUT: Record<string, string> = {
  'invoice.driver_id': 'the books of each company of a chain name the driver who drove',
  'invoice.dropoff_site_id': 'the books of a vendor name the site of the order',
  'invoice.job_assignment_id': 'the books of both sides are of one assignment',
  'invoice.job_id': 'the books of each company of a chain are of one job',
  'invoice.material_id': 'the books of a vendor name the material of the order',
  'invoice.order_id': 'the books of each company of a chain are of one order',
  'invoice.pickup_site_id': 'the books of a vendor name the site of the order',
  'invoice_line_item.load_id': 'a line of a vendor is of the load that it drove',
  'job.driver_id': 'a vendor gives the job to a driver of its own',
  'job.equipment_id': 'a vendor gives the job to a truck of its own',
  'job_assignment.customer_account_id': 'both sides of an assignment name each other as accounts of their own',
  'job_assignment.vendor_account_id': 'both sides of an assignment name each other as accounts of their own',
  'load_match.job_id': 'each side compares the load of the other with its books',
  'load_match.load_id': 'each side compares the load of the other with its books',
  'load_match.ticket_id': 'each side compares the ticket of the other with its books',
};

export interface ForeignKey {
  /** `job.driver_id`. */
  name: string;
  child: string;
  column: string;
  parent: string;
  target: string;
  /** Whether the company is part of it. */
  carries: boolean;
  /** Whether both tables belong to companies. */
  between: boolean;
  /** Whether the table that has it does. */
  owned: boolean;
}

const ofCompanies = (table: string) =>
  `exists (select from pg_attribute o where o.attrelid = ${table} and o.attname = 'company_id' and not o.attisdropped)`;

/** Every foreign key, by its first column. */
export const foreignKeysOf = (app: TestApp): Promise<ForeignKey[]> =>
  app.orm.em.execute<ForeignKey[]>(
    `select f.conrelid::regclass::text || '.' || a.attname as name, f.conrelid::regclass::text as child, a.attname::text as column,
       f.confrelid::regclass::text as parent, b.attname::text as target,
       exists (select from pg_attribute c where c.attrelid = f.conrelid and c.attnum = any(f.conkey) and c.attname = 'company_id') as carries,
       ${ofCompanies('f.conrelid')} as owned, ${ofCompanies('f.conrelid')} and ${ofCompanies('f.confrelid')} as between
     from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
       join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
     where f.contype = 'f' and f.conparentid = 0 and f.connamespace = 'public'::regnamespace`,
  );

/** Returns the foreign keys that lead from a row of one company to a row of another one, in the rows that are there. */
export async function keysThatLeadOut(app: TestApp): Promise<string[]> {
  const keys = (await foreignKeysOf(app)).filter(({ between, carries }) => between && !carries);
  const found = await app.orm.em.execute<{ name: string }[]>(
    keys
      .map(
        ({ name, child, column, parent, target }) =>
          `select '${name}' as name where exists (select from "${child}" c join "${parent}" p on p."${target}" = c."${column}"
             where c.company_id is distinct from p.company_id)`,
      )
      .join(' union all '),
  );
  return found.map(({ name }) => name);
}

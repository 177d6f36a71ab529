import { defineMeasuredLoads } from '../../dispatch/checks/measured-loads.ts';
import { JOB_FINISHED } from '../../dispatch/model/states.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';

const ASK = `insert into invoice_task (id, company_id, due_at)
select j.id, j.company_id, now() from job j
where j.id in (select l.job_id from load l where l.id = any($1::uuid[]) offset 0) and j.state = any($2::text[])
order by j.id
${invoicesToCompare.again}`;

/** Positions are measured after the work is finished, and late ones again: what is billed is compared with them then (BILLING B10). */
export const matchesOfMeasuredLoads = defineMeasuredLoads('matches of invoices', async (em, loadIds) => {
  await queryIn(em, ASK, [loadIds, JOB_FINISHED]);
});

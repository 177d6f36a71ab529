import { expect } from '@jest/globals';
import { systemContext } from '../../../src/platform/commands/system-context.ts';
import { type TxContext, transact } from '../../../src/platform/commands/transact.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { queryIn } from '../../../src/platform/database/sql.ts';
import type { TestApp } from '../../helpers/app.ts';

/** The rows that are written for jobs, without ids that are drawn. */
const WRITTEN = `select t.line from (
    select concat_ws(' ', 'invoice', i.job_id, i.side, i.job_assignment_id, i.part) as key, (to_jsonb(i) - array['id', 'created_at', 'updated_at', 'version'])::text as line
      from invoice i where i.job_id = any($1::uuid[])
    union all select concat_ws(' ', 'line', i.job_id, i.side, i.job_assignment_id, li.line_item_type, li.load_id, li.part),
      (to_jsonb(li) - array['id', 'invoice_id', 'created_at', 'updated_at', 'version'])::text
      from invoice i join invoice_line_item li on li.invoice_id = i.id where i.job_id = any($1::uuid[])
    union all select concat_ws(' ', 'charge', i.job_id, i.side, i.job_assignment_id, h.name, h.requested_charge_id, h.auto_add_on_assignment_id),
      (to_jsonb(h) - array['id', 'add_on_applicable_id', 'created_at', 'updated_at', 'version'])::text
      from invoice i join add_on_charge h on h.add_on_applicable_id = i.id where i.job_id = any($1::uuid[])
    union all select concat_ws(' ', 'match', m.load_id, m.company_id, m.side), (to_jsonb(m) - array['id', 'invoice_id', 'created_at', 'updated_at', 'version'])::text
      from load_match m where m.job_id = any($1::uuid[])) t order by t.key`;

class Undone extends Error {}

/** Returns what is written for jobs as if nothing had been invoiced of them; nothing stays of it. */
export async function writtenFor(
  app: TestApp,
  jobs: readonly { id: string; companyId: string }[],
  invoice: (tx: TxContext, ids: string[]) => Promise<void>,
): Promise<string[]> {
  const { companyId } = jobs[0]!;
  const ids = jobs.map(({ id }) => id).sort();
  let found: string[] = [];
  const work = async (tx: TxContext) => {
    const run = (sql: string) => queryIn<{ line: string }>(tx.em, sql, [ids]);
    await run('delete from load_match where job_id = any($1::uuid[])');
    await run('delete from add_on_charge h using invoice i where i.id = h.add_on_applicable_id and i.job_id = any($1::uuid[])');
    await run('delete from invoice_line_item li using invoice i where i.id = li.invoice_id and i.job_id = any($1::uuid[])');
    await run('delete from invoice where job_id = any($1::uuid[])');
    await invoice(tx, ids);
    await tx.em.flush();
    for (const last of tx.tx.beforeCommit) await last();
    found = (await run(WRITTEN)).map(({ line }) => line);
    throw new Undone();
  };
  const run = () => transact(systemContext(app.orm.em.fork(), companyId), work);
  await expect(asCompanies([companyId], run)).rejects.toThrow(Undone);
  return found;
}

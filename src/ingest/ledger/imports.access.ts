import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { ImportBatch } from './import-batch.entity.ts';
import { ImportedRecord } from './imported-record.entity.ts';

export const importBatchAccess = defineAccess(ImportBatch, {
  // People who are limited to sites read the batches of senders who were limited to the same sites, or some of them.
  sites: (t, p) => `${t}.site_ids <@ ${p}`,
});

export const importedRecordAccess = defineAccess(ImportedRecord, {
  // A payload names customers, places and rates. So people who are limited to sites read the payloads of the work they see, and those that
  // were sent under their limits.
  sites: (t, p) => `(exists (select 1 from import_batch ib where ib.id = ${t}.batch_id and ib.site_ids <@ ${p})
    or (${t}.kind = 'order' and ${ofOrderAtSites(`${t}.result_id`, p)})
    or (${t}.kind = 'ticket' and exists (select 1 from ticket ik where ik.id = ${t}.result_id and ${ofOrderAtSites('ik.order_id', p)})))`,
});

export const importTaskAccess = defineAccess('import_task', {
  // Open work is found by its id, its due time or its lease. If the condition on the company fitted an index, PostgreSQL would choose that
  // index whenever the queue was empty at the last analyze, and read the whole queue for each record. `is true` makes it fit none.
  rowPolicy: { writable: (_, companies) => `(company_id = any(${companies})) is true` },
});

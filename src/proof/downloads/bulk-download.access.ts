import { defineAccess } from '../../platform/read/access.ts';
import { BulkDownload } from './bulk-download.entity.ts';

export const bulkDownloadAccess = defineAccess(BulkDownload, {
  ownRecords: (t, p) => `${t}.created_by_id = ${p}`,
});

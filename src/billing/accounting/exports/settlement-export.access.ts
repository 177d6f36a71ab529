import { defineAccess } from '../../../platform/read/access.ts';
import { partOfInvoice } from '../../invoices/invoice.access.ts';
import { partOfSettlement } from '../../settlements/settlement.access.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** Readers of the settlement or the invoice read how far its export is. */
export const settlementExportAccess = defineAccess(SettlementExport, {
  sites: (t, p) => `case when ${t}.settlement_id is null then ${partOfInvoice.sites(t, p)} else ${partOfSettlement.sites(t, p)} end`,
  ownRecords: (t, p) => `(${partOfSettlement.ownRecords(t, p)} or ${partOfInvoice.ownRecords(t, p)})`,
  allBy: partOfSettlement.allBy,
});

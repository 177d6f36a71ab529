import { relatedFields } from '../../../platform/model/related-fields.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** The exports of a settlement to an accounting system. */
export const exportedSettlement = relatedFields(Settlement, {
  integrationSettlementExport: {
    single: () => SettlementExport,
    on: (e, s) => `${e}.settlement_id = ${s}.id and not ${e}.reverses and ${e}.linked_account_id is not null`,
    description: 'How it was sent to an accounting system; null if nobody asked for it.',
  },
  reversalSettlementExport: {
    single: () => SettlementExport,
    on: (e, s) => `${e}.settlement_id = ${s}.id and ${e}.reverses`,
    description: 'How it was taken back in the accounting system; null unless it was voided after it was exported.',
  },
});

import { relatedFields } from '../../../platform/model/related-fields.ts';
import { Settlement } from '../settlement.entity.ts';
import { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';

/** The last mail of a settlement. */
export const emailedSettlement = relatedFields(Settlement, {
  lastSettlementEmailDelivery: {
    single: () => SettlementEmailDelivery,
    on: (d, s) =>
      `${d}.id in (select ld.id from settlement_email_delivery ld where ld.settlement_id = ${s}.id order by ld.created_at desc, ld.id desc limit 1)`,
    description: 'The mail by which it was sent last; null if it never was.',
  },
});

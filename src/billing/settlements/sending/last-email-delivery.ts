import { FieldResolver, Resolver, Root } from 'type-graphql';
import { extendEntity } from '../../../platform/model/decorators.ts';
import { Settlement } from '../settlement.entity.ts';
import { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';

export const lastEmailDeliveryExtension = extendEntity(Settlement, {
  lastSettlementEmailDelivery: {
    single: () => SettlementEmailDelivery,
    on: (d, s) =>
      `${d}.id in (select ld.id from settlement_email_delivery ld where ld.settlement_id = ${s}.id order by ld.created_at desc, ld.id desc limit 1)`,
  },
});

interface Emailed extends Settlement {
  lastSettlementEmailDelivery?: SettlementEmailDelivery | null;
}

/** The last mail of a settlement; the planner reads it with the settlement itself. */
@Resolver(() => Settlement)
export class LastEmailDeliveryResolver {
  @FieldResolver(() => SettlementEmailDelivery, {
    nullable: true,
    description: 'The mail by which it was sent last; null if it never was.',
  })
  lastSettlementEmailDelivery(@Root() { lastSettlementEmailDelivery }: Emailed): SettlementEmailDelivery | null {
    return lastSettlementEmailDelivery ?? null;
  }
}

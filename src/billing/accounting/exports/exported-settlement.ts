import { FieldResolver, Resolver, Root } from 'type-graphql';
import { extendEntity } from '../../../platform/model/decorators.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { SettlementExport } from './settlement-export.entity.ts';

export const exportedSettlementExtension = extendEntity(Settlement, {
  integrationSettlementExport: { single: () => SettlementExport, on: (e, s) => `${e}.settlement_id = ${s}.id and not ${e}.reverses` },
  reversalSettlementExport: { single: () => SettlementExport, on: (e, s) => `${e}.settlement_id = ${s}.id and ${e}.reverses` },
});

interface Exported extends Settlement {
  integrationSettlementExport?: SettlementExport | null;
  reversalSettlementExport?: SettlementExport | null;
}

/** How far a settlement is on its way to an accounting system; the planner reads it with the settlement itself. */
@Resolver(() => Settlement)
export class ExportedSettlementResolver {
  @FieldResolver(() => SettlementExport, {
    nullable: true,
    description: 'How it was sent to an accounting system; null if nobody asked for it.',
  })
  integrationSettlementExport(@Root() { integrationSettlementExport }: Exported): SettlementExport | null {
    return integrationSettlementExport ?? null;
  }

  @FieldResolver(() => SettlementExport, {
    nullable: true,
    description: 'How it was taken back in the accounting system; null unless it was voided after it was exported.',
  })
  reversalSettlementExport(@Root() { reversalSettlementExport }: Exported): SettlementExport | null {
    return reversalSettlementExport ?? null;
  }
}

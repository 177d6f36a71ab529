import { Field, ID, Int, ObjectType } from 'type-graphql';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import type { Context } from '../../platform/context.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { DateTime } from '../../platform/scalars.ts';
import { InvoiceLineItemType } from '../invoices/invoice-enums.ts';
import type { Settlement, SettlementLineItemGrouping, SettlementLineItemType } from './settlement.entity.ts';
import { LINES } from './settlement-lines.sql.ts';

@ObjectType({ simpleResolvers: true, description: 'How much was delivered in one unit.' })
export class SettledQuantity {
  @Field(() => DecimalScalar) quantity!: string;
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
}

@ObjectType({ simpleResolvers: true, description: 'The work of a line: a load, or a job that is paid by the hour.' })
export class SettledWork {
  @Field(() => ID) orderId!: string;
  @Field(() => ID) jobId!: string;
  @Field(() => String) friendlyJobId!: string;
  @Field(() => String) friendlyOrderId!: string;
  @Field(() => ID, { nullable: true }) loadId!: string | null;
  @Field(() => String, { nullable: true }) friendlyLoadId!: string | null;
  @Field(() => Int, { nullable: true }) loadOrdinality!: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'The vendor of a line.' })
export class SettledVendorAccount {
  @Field(() => ID) id!: string;
  @Field(() => String) name!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The link by which the work of a line was passed on.' })
export class SettledJobAssignment {
  @Field(() => ID) id!: string;
  @Field(() => SettledVendorAccount, { nullable: true }) vendorAccount!: SettledVendorAccount | null;
}

@ObjectType({ simpleResolvers: true, description: 'The driver of a line.' })
export class SettledDriver {
  @Field(() => ID) id!: string;
  @Field(() => String) firstName!: string;
  @Field(() => String) lastName!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The part of a settlement about an order, a job or a load, at one rate.' })
export class SettlementLineItem {
  @Field(() => DateTime, { description: 'When its first job begins.' }) date!: string;
  @Field(() => [String]) truckExternalIds!: string[];
  @Field(() => [String]) equipmentTypes!: string[];
  @Field(() => [String]) equipmentNames!: string[];
  @Field(() => [String]) services!: string[];
  @Field(() => [String]) materials!: string[];
  @Field(() => [SettledQuantity]) quantities!: SettledQuantity[];
  @Field(() => [SettledWork]) ids!: SettledWork[];
  @Field(() => DecimalScalar) totalQuantity!: string;
  @Field(() => DecimalScalar, { nullable: true }) rateValue!: string | null;
  @Field(() => [RateType]) rateTypes!: RateType[];
  @Field(() => DecimalScalar, { nullable: true }) totalAmount!: string | null;
  @Field(() => Int) loadsCount!: number;
  @Field(() => [String]) ticketNumbers!: string[];
  @Field(() => DateTime, { nullable: true }) payStartTime!: string | null;
  @Field(() => DateTime, { nullable: true }) payEndTime!: string | null;
  @Field(() => Int) billingAdjustmentMinutes!: number;
  @Field(() => DecimalScalar, {
    nullable: true,
    description:
      'Null unless its invoices are billed anew at one rate, and that is the rate of the line: overtime has another one, and so has freight with the price of its material in it.',
  })
  rebillRateValue!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Its total, unless it is billed anew at another rate.' })
  rebillTotalAmount!: string | null;
  @Field(() => SettledJobAssignment, { nullable: true }) vendorJobAssignment!: SettledJobAssignment | null;
  @Field(() => SettledDriver, { nullable: true }) driver!: SettledDriver | null;
  @Field(() => UnitOfMeasure, { nullable: true }) materialRateUnitOfMeasure!: UnitOfMeasure | null;
  @Field(() => InvoiceLineItemType) lineItemType!: InvoiceLineItemType;
}

@ObjectType({ simpleResolvers: true, description: 'Lines of a settlement that belong together.' })
export class SettlementLineItemGroup {
  @Field(() => String, { nullable: true, description: 'The values that its lines have in common; null if lines are not grouped.' })
  group!: string | null;
  @Field(() => [SettlementLineItem]) lineItems!: SettlementLineItem[];
  @Field(() => DecimalScalar, { nullable: true }) subtotal!: string | null;
}

type Row = SettlementLineItem & { group: string | null; subtotal: string };

/**
 * Returns the lines of a settlement, summed up in the database: one for each order, job or load at one rate, in groups (BILLING B9). They add up
 * to the total of its invoices without tax and charges.
 * @param seesMoney false for viewers who do not see the rates of its side
 * @param received for the company to which it was sent, which reads what is charged for what, of the work only what it has a part in, and no
 * names of whoever sent it
 */
export async function lineItemsOf(
  ctx: Context,
  settlement: Settlement,
  { by, seesMoney, received }: { by: SettlementLineItemType; seesMoney: boolean; received: boolean },
): Promise<SettlementLineItemGroup[]> {
  const groupings: SettlementLineItemGrouping[] = received ? [] : settlement.settlementLineItemGroupings;
  // Work of others is called what its owner calls it, whoever asks: on paper, in a mail and here.
  const rows = await withPartnerVisibility(() =>
    queryOf<Row>(ctx, planOnceForFew(LINES, settlement.jobsCount), [settlement.id, by, groupings]),
  );
  return [...Map.groupBy(rows, ({ group }) => group)].map(([group, lines]) => ({
    group,
    lineItems: lines.map(({ group: _group, subtotal: _subtotal, ...line }) => ({
      ...line,
      ...(seesMoney ? {} : HIDDEN),
      ...(received ? THEIRS : {}),
    })),
    subtotal: seesMoney ? lines[0]!.subtotal : null,
  }));
}

/** The fields of a settlement that its sender keeps. */
const THEIRS = {
  ...{ truckExternalIds: [], equipmentTypes: [], equipmentNames: [], services: [], materials: [] },
  ...{ vendorJobAssignment: null, driver: null },
};
const HIDDEN = { rateValue: null, totalAmount: null, rebillRateValue: null, rebillTotalAmount: null };

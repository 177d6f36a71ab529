import { ref } from '@mikro-orm/core';
import { settlementNumber } from '../../dispatch/fields/settlement-number.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import { conflict } from '../../platform/state/machine.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { seenBy } from '../charges/charged-bill.ts';
import { Settlement } from './settlement.entity.ts';

const model = 'Settlement';
const IS_CHARGED = `select s.id from add_on_charge c join settlement s on s.id = c.add_on_applicable_id
  where c.balance_of_id = $1 and s.state <> 'voided' limit 1`;

/** Refuses to take a payment back whose balance is charged already. @throws Conflict naming the settlement that charges it */
export async function takeBackBalance(tx: TxContext, settlement: Settlement): Promise<void> {
  if (!settlement.carriedForwardAt) return;
  if ((await queryIn(tx.em, IS_CHARGED, [settlement.id])).length > 0) throw conflict(model, settlement, 'undo_pay', 'balance_is_charged');
  settlement.carriedForwardAt = null;
}

interface Balance {
  id: string;
  number: number;
  total: string;
}
const payeeOf = ({ company, vendorAccount, driver, currency }: Settlement): unknown[] => [
  company.id,
  (vendorAccount ?? driver)!.id,
  currency,
];
// Two settlements of a payee at once charge a balance once: the second one waits, and finds it charged.
const LOCK = `select from settlement s where s.company_id = $1 and coalesce(s.vendor_account_id, s.driver_id) = $2 and s.currency = $3
  and s.carried_forward_at is not null order by s.id for no key update`;
const FREE = `select s.id, s.number, coalesce(s.rebill_total_amount, s.total_amount)::text as total from settlement s
  where s.company_id = $1 and coalesce(s.vendor_account_id, s.driver_id) = $2 and s.currency = $3 and s.carried_forward_at is not null and s.side = 'payable'
    and not exists (select from add_on_charge c join settlement o on o.id = c.add_on_applicable_id where c.balance_of_id = s.id and o.state <> 'voided')
  order by s.number`;

/** Charges on a new settlement what its payee owes by earlier ones. */
export async function chargeBalances(tx: TxContext, settlement: Settlement): Promise<AddOnCharge[]> {
  const { company, side, driver } = settlement;
  if (side !== 'payable') return [];
  const of = payeeOf(settlement);
  await queryIn(tx.em, LOCK, of);
  return (await queryIn<Balance>(tx.em, FREE, of)).map(({ id, number, total }) => {
    const owed = new Decimal(total);
    const charge = Object.assign(new AddOnCharge(), {
      ...{ company, addOnApplicableType: 'Settlement', addOnApplicableId: settlement.id, payeeDriver: driver, ...seenBy(settlement) },
      ...{
        balanceOf: ref(Settlement, id),
        name: `Balance of ${settlementNumber('payable', number)}`,
        quantity: new Decimal(1),
        taxable: false,
      },
      ...{ revenueCostRateType: 'RateForEach', revenueRateValue: owed, costRateValue: null, percentage: new Decimal(0), amount: owed },
    });
    tx.em.persist(charge);
    return charge;
  });
}

// A debt whose payment was taken back is owed by that settlement itself again, and another one may have charged a balance since this one was voided.
const STILL_OWED = `select s.id, coalesce(s.rebill_total_amount, s.total_amount)::text as total from settlement s
  where s.id in (select f.balance_of_id from add_on_charge f where f.add_on_applicable_id = $1) and s.carried_forward_at is not null
    and not exists (select from add_on_charge c join settlement o on o.id = c.add_on_applicable_id
      where c.balance_of_id = s.id and o.id <> $1 and o.state <> 'voided')`;

/** Returns what is owed still of the balances that a voided settlement has charged, by the settlements that they are of. */
export async function balancesOwedAgain(tx: TxContext, voided: Settlement): Promise<Map<string, Decimal>> {
  if (voided.side !== 'payable') return new Map();
  await queryIn(tx.em, LOCK, payeeOf(voided));
  const rows = await queryIn<Pick<Balance, 'id' | 'total'>>(tx.em, STILL_OWED, [voided.id]);
  return new Map(rows.map(({ id, total }) => [id, new Decimal(total)]));
}

import { denial, viewerOf } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { sideOfRates } from '../../invoices/rate-by-hand.ts';
import { seesAmounts } from '../../invoices/read-invoice.ts';
import type { Settlement } from '../settlement.entity.ts';

/** For what would say nothing without its amounts. @throws Denied unless the viewer sees the rates of its side */
export function requireMoney(ctx: Context, { side, driver }: Pick<Settlement, 'side' | 'driver'>): void {
  if (!seesAmounts(ctx, side, driver)) throw denial(viewerOf(ctx), `view_${sideOfRates(side, driver)}_rates`);
}

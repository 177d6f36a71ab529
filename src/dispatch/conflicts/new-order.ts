import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { CreateOrderInput } from '../orders/order.inputs.ts';
import type { Substitutes } from './leave-out.ts';

const ANY = {
  accountId: `select id from account where company_id = $1 and discarded_at is null and 'customer' = any(account_types) order by created_at limit 1`,
  serviceId: 'select id from service where company_id = $1 and discarded_at is null order by created_at limit 1',
} as const;

/**
 * Replacements for a new order that is tried without its refused parts. The customer and the service have no influence on driver, truck or
 * place, so any others will do. Of its stops, those that were not refused remain.
 */
export function newOrderSubstitutes(ctx: Context, input: CreateOrderInput, companyId?: string | null): Substitutes<CreateOrderInput> {
  const any = (field: keyof typeof ANY) => async (): Promise<string | undefined> => {
    const pool = await poolOf(ctx.em);
    const { rows } = await pool.query<{ id: string }>(ANY[field], [companyId ?? input.companyId ?? viewerOf(ctx).companyId]);
    return rows[0]?.id;
  };
  const none = () => undefined;
  return {
    ...{ accountId: any('accountId'), serviceId: any('serviceId'), loadAt: none, truckCount: none, truckDelay: none },
    waypoints(given, wrong) {
      const places = new Set(wrong.map((path) => path.split('.')[0]));
      const others = given.filter((_, place) => !places.has(String(place)));
      return others.length > 0 && others.length < given.length ? others : undefined;
    },
  };
}

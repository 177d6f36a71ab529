import { Field, ID, InputType } from 'type-graphql';
import { Account } from '../../../directory/accounts/account.entity.ts';
import { Service } from '../../../directory/master-data/named.entities.ts';
import { User } from '../../../directory/people/user.entity.ts';
import { Site } from '../../../directory/sites/site.entity.ts';
import { companyOf } from '../../../platform/authz/authorization.ts';
import { resolveReferences } from '../../../platform/authz/references.ts';
import { transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { About } from '../../../platform/model/about.ts';
import { mayCreateOrder } from '../../access/order.policy.ts';
import type { Order } from '../../model/order.entity.ts';
import { createOrder } from '../create-order.ts';
import { CreateOrderInput } from '../order.inputs.ts';

@InputType()
@About('Order')
export class SimulateOrderInput {
  @Field(() => ID, { nullable: true }) customerAccountId?: string | null;
  @Field(() => ID, { nullable: true }) driverId?: string | null;
  @Field(() => ID, { nullable: true }) sharedDriverId?: string | null;
}

const HOUR = 3_600_000;

/**
 * Creates an order to practise with: one truck and one load in an hour, between the company's two oldest active sites, for the named
 * customer or the oldest. The contract says only that the order is accepted (D-DISPATCH-19).
 * @throws Denied without `create_order`; Invalid for unknown ids, or if the company has nothing to practise with
 */
export async function simulateOrder(ctx: Context, input: SimulateOrderInput, companyId?: string | null): Promise<Order> {
  mayCreateOrder(ctx);
  return transact(ctx, async (tx) => {
    const owner = companyOf(tx, companyId);
    const items: ErrorItem[] = [];
    const referred = await resolveReferences(
      tx,
      input,
      { account: [Account, 'customerAccountId'], driver: [User, 'driverId'], shared: [User, 'sharedDriverId'] },
      // Whether work may be planned with a shared driver is asked when the order is made.
      { model: 'Order', companyId: owner, shared: true, items },
    );
    const oldest = { filters: { tenant: false }, orderBy: { createdAt: 'asc' } } as const;
    const usable = { company: owner, discardedAt: null };
    const sites = await tx.em.find(Site, { ...usable, state: 'active' }, { ...oldest, limit: 2 });
    const [service] = await tx.em.find(Service, usable, { ...oldest, limit: 1 });
    const account =
      referred.account ?? (await tx.em.find(Account, { ...usable, accountTypes: { $contains: ['customer'] } }, { ...oldest, limit: 1 }))[0];
    if (sites.length < 2 || !service || !account) items.push({ model: 'Order', field: '', key: 'no_site_to_simulate' });
    if (items.length > 0) throw new Invalid(items);
    const order = Object.assign(new CreateOrderInput(), {
      name: 'Practice',
      loadAt: new Date(tx.tx.now.getTime() + HOUR),
      truckCount: 1,
      truckDelay: 0,
      loadsPerTruck: 1,
      accountId: account!.id,
      serviceId: service!.id,
      waypoints: [
        { type: 'pickup', siteId: sites[0]!.id, ordinality: 0 },
        { type: 'drop_off', siteId: sites[1]!.id, ordinality: 1 },
      ],
      ...((referred.driver ?? referred.shared) ? { driverId: (referred.driver ?? referred.shared)!.id } : {}),
    });
    return createOrder(tx, order, owner);
  });
}

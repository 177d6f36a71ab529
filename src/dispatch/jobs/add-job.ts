import { find } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayWithJob } from '../access/job.policy.ts';
import { assignToSharedDriver } from '../assignment/copy-crew.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import { expectArrivals } from '../orders/order-arrival.ts';
import { addOneTruck, addTrucksTo, collectInactive } from './order-work.ts';

/** Adds one truck to an order. */
export function addJob(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Order, path.id, { companyId: path.companyId });
    await expectArrivals(setTxOf(tx), seen.company.id);
    const order = await find(tx, Order, path.id, { companyId: path.companyId, lock: true });
    mayWithJob(tx, order, 'create_job');
    if (orderMachine.isTerminal(order)) throw conflict('Order', order, 'add_job', 'order_closed');
    const jobs = await tx.em.find(Job, { order: order.id }, { orderBy: { number: 'desc' }, limit: 1 });
    const first = (jobs[0]?.number ?? 0) + 1;
    const items: ErrorItem[] = [];
    await collectInactive(tx, order, items);
    await validateAssignee(tx, order, { first, count: 1, later: true }, items, '');
    await addOneTruck(tx, order, items);
    if (items.length > 0) throw new Invalid(items);
    const [id] = await addTrucksTo(tx, order, first, 1);
    await assignToSharedDriver(tx, order, [id!], '');
    emitEvent(tx, 'job.created', Object.assign(new Job(), { id: id!, company: order.company }));
    return { id: id! };
  });
}

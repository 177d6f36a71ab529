import { ref } from '@mikro-orm/core';
import { Field, InputType } from 'type-graphql';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { loadsWithoutTicket } from './missing-tickets.ts';
import { TicketChase } from './ticket-chase.entity.ts';

@InputType()
@About('TicketChase')
export class WaiveMissingTicketsInput {
  @Field(() => String, { description: 'Why no ticket will come.' }) @Length(1, 500) reason!: string;
}

/**
 * Says that the tickets which loads of a job lack now will not come: nobody is reminded of them any more, and what was reported of the loads
 * counts. @throws Missing, Denied, Invalid if none is missing, or the reason is blank
 */
export function waiveMissingTickets(ctx: Context, path: RecordPath, { reason }: WaiveMissingTicketsInput): Promise<void> {
  return transact(ctx, async (tx) => {
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    mayWithJob(tx, job, 'edit_ticket');
    // A driver who was to send it does not decide that it need not come.
    allow(tx, 'edit_ticket');
    if (reason.trim() === '') throw new Invalid([{ model: 'TicketChase', field: 'reason', key: 'required' }]);
    const loadIds = await loadsWithoutTicket(setTxOf(tx), job.id);
    if (loadIds.length === 0) throw new Invalid([{ model: 'Job', field: '', key: 'no_ticket_missing' }]);
    const open = await tx.em.findOne(TicketChase, { job: job.id, state: 'open' }, { filters: { tenant: false } });
    const chase = open ?? Object.assign(new TicketChase(), { company: job.company, job: ref(job) });
    Object.assign(chase, { state: 'waived', reason: reason.trim(), loadIds, closedAt: tx.tx.now });
    tx.em.persist(chase);
    emitEvent(tx, 'job.missing_tickets_waived', job, { load_ids: loadIds, reason });
  });
}

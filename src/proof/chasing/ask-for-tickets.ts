import { ref } from '@mikro-orm/core';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { MOST_REMINDERS } from './chase-step.ts';
import { lookAtJobs } from './chase-tasks.ts';
import { loadsWithoutTicket } from './missing-tickets.ts';
import { TicketChase } from './ticket-chase.entity.ts';
import { vendorContactOf } from './vendor-contact.ts';

const SOMEBODY = `select from job j where j.id = $1 and (exists (select from app_user u where u.id = j.driver_id and u.discarded_at is null)
  or exists (select from ${vendorContactOf('j')}))`;

/**
 * Has the driver of a job, or the contact of its vendor, reminded of its missing tickets now instead of when the next reminder is due, and again after it was given up. Quiet
 * hours and the four reminders of a chase hold for it, too.
 * @throws Missing, Denied, Invalid if no ticket is missing, nobody can be reminded, or the four reminders were sent
 */
export function askForMissingTickets(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    mayWithJob(tx, job, 'edit_ticket');
    // A driver who was to send it does not remind himself.
    allow(tx, 'edit_ticket');
    const set = setTxOf(tx);
    const refuse = (key: string) => new Invalid([{ model: 'Job', field: '', key }]);
    const loadIds = await loadsWithoutTicket(set, job.id);
    if (loadIds.length === 0) throw refuse('no_ticket_missing');
    const [somebody] = await set.query(SOMEBODY, [job.id]);
    if (!somebody) throw refuse('nobody_to_remind');
    const chases = await tx.em.find(TicketChase, { job: job.id, state: { $in: ['open', 'given_up'] } }, { filters: { tenant: false } });
    // A chase that was given up counts as missing again.
    for (const one of chases) if (one.state === 'given_up') one.state = 'stopped';
    const open = chases.find(({ state }) => state === 'open');
    if (open) {
      const [sent] = await set.query<{ count: number }>('select count(*)::int as count from ticket_chase_reminder where chase_id = $1', [
        open.id,
      ]);
      if (sent!.count >= MOST_REMINDERS) throw refuse('reminded_enough');
      open.askedAt = tx.tx.now;
    } else {
      tx.em.persist(Object.assign(new TicketChase(), { company: job.company, job: ref(job), loadIds, askedAt: tx.tx.now }));
      noteJobEvent(tx, job, 'TicketChaseInitiated');
      emitEvent(tx, 'job.ticket_chase_opened', job, { load_ids: loadIds });
    }
    await tx.em.flush();
    await lookAtJobs(set, [job.id]);
  });
}

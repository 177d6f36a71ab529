import { UnitOfMeasure } from '../directory/master-data/units.ts';
import { ALL_WORK, deliveries } from '../dispatch/model/delivered.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { DecimalScalar } from '../platform/decimal.ts';
import { relatedFields } from '../platform/model/related-fields.ts';
import { missingOf } from './chasing/missing-tickets.ts';
import { AiReview } from './review/ai-review.entity.ts';
import { Ticket } from './ticket.entity.ts';

/** The fields that proof of work adds to a load. */
export const provedLoad = relatedFields(Load, {
  ticket: { one: () => Ticket, foreign: 'load' },
  aiReview: { one: () => AiReview, foreign: 'load' },
  // As quantities are summed.
  deliveredQuantity: {
    sql: (t) => `(select coalesce(d.quantity, 0) from (${deliveries(ALL_WORK)}) d where d.id = ${t}.id)`,
    type: () => DecimalScalar,
    description: 'By its ticket, otherwise as reported; 0 while neither is known.',
  },
  deliveredUnitOfMeasure: {
    sql: (t) => `(select coalesce(d.unit_of_measure, 'Load') from (${deliveries(ALL_WORK)}) d where d.id = ${t}.id)`,
    type: () => UnitOfMeasure,
    description: 'The unit of `deliveredQuantity`.',
  },
  ticketMissing: {
    sql: (t) => `exists (select from ${missingOf(`${t}.job_id`, true)} and l.id = ${t}.id)`,
    internal: true,
    type: () => Boolean,
    nullable: true,
    description: 'Whether it is completed and lacks the ticket that its order wants, also after nobody is reminded of it any more.',
  },
  ticketWaived: {
    sql: (t) => `exists (select from ticket_chase w where w.job_id = ${t}.job_id and w.state = 'waived' and ${t}.id = any(w.load_ids))`,
    internal: true,
    type: () => Boolean,
    nullable: true,
    description: 'Whether somebody said that its ticket will not come, so that what was reported counts.',
  },
});

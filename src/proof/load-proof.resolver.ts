import { FieldResolver, Resolver, Root } from 'type-graphql';
import { UnitOfMeasure } from '../directory/master-data/units.ts';
import { ALL_WORK, deliveries } from '../dispatch/model/delivered.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { type Decimal, DecimalScalar } from '../platform/decimal.ts';
import { extendEntity } from '../platform/model/decorators.ts';
import { missingOf } from './chasing/missing-tickets.ts';
import { AiReview } from './review/ai-review.entity.ts';
import { Ticket } from './ticket.entity.ts';

// As quantities are summed.
export const loadProofExtension = extendEntity(Load, {
  deliveredQuantity: { sql: (t) => `(select coalesce(d.quantity, 0) from (${deliveries(ALL_WORK)}) d where d.id = ${t}.id)` },
  deliveredUnitOfMeasure: {
    sql: (t) => `(select coalesce(d.unit_of_measure, 'Load') from (${deliveries(ALL_WORK)}) d where d.id = ${t}.id)`,
  },
  ticketMissing: { sql: (t) => `exists (select from ${missingOf(`${t}.job_id`, true)} and l.id = ${t}.id)`, internal: true },
  ticketWaived: {
    sql: (t) => `exists (select from ticket_chase w where w.job_id = ${t}.job_id and w.state = 'waived' and ${t}.id = any(w.load_ids))`,
    internal: true,
  },
});

/** The fields that proof of work adds to a load; the planner reads both with the load itself. */
@Resolver(() => Load)
export class LoadProofResolver {
  @FieldResolver(() => Ticket, { nullable: true })
  ticket(@Root() load: Load & { ticket?: Ticket | null }): Ticket | null {
    return load.ticket ?? null;
  }

  @FieldResolver(() => AiReview, { nullable: true })
  aiReview(@Root() load: Load & { aiReview?: AiReview | null }): AiReview | null {
    return load.aiReview ?? null;
  }

  @FieldResolver(() => DecimalScalar, { description: 'By its ticket, otherwise as reported; 0 while neither is known.' })
  deliveredQuantity(@Root() load: Load & { deliveredQuantity: Decimal }): Decimal {
    return load.deliveredQuantity;
  }

  @FieldResolver(() => UnitOfMeasure, { description: 'The unit of `deliveredQuantity`.' })
  deliveredUnitOfMeasure(@Root() load: Load & { deliveredUnitOfMeasure: UnitOfMeasure }): UnitOfMeasure {
    return load.deliveredUnitOfMeasure;
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: 'Whether it is completed and lacks the ticket that its order wants, also after nobody is reminded of it any more.',
  })
  ticketMissing(@Root() load: Load & { ticketMissing?: boolean | null }): boolean | null {
    return load.ticketMissing ?? null;
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: 'Whether somebody said that its ticket will not come, so that what was reported counts.',
  })
  ticketWaived(@Root() load: Load & { ticketWaived?: boolean | null }): boolean | null {
    return load.ticketWaived ?? null;
  }
}

import { FieldResolver, Resolver, Root } from 'type-graphql';
import { UnitOfMeasure } from '../directory/units.ts';
import { Load } from '../dispatch/load.entity.ts';
import { type Decimal, DecimalScalar } from '../platform/decimal.ts';
import { extendEntity } from '../platform/read/decorators.ts';
import { AiReview } from './ai-review.entity.ts';
import { Ticket } from './ticket.entity.ts';

/** The ticket that says what a load was of. */
const WEIGHED = (t: string) => `from ticket k where k.load_id = ${t}.id and k.voided_at is null and k.quantity is not null limit 1`;

// As quantities are summed: the ticket's, else what was reported, else nothing (DOMAIN 1.1).
extendEntity(Load, {
  deliveredQuantity: { sql: (t) => `coalesce((select k.quantity ${WEIGHED(t)}), ${t}.quantity, 0)` },
  deliveredUnitOfMeasure: {
    sql: (t) => `coalesce((select k.unit_of_measure ${WEIGHED(t)}), ${t}.unit_of_measure,
      (select coalesce(j.load_unit_of_measure, j.unit_of_measure) from job j where j.id = ${t}.job_id), 'Load')`,
  },
});

/** What proof of work adds to a load; the planner reads both with the load itself. */
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

  @FieldResolver(() => DecimalScalar, { description: 'By its ticket, else as reported; 0 while neither is known.' })
  deliveredQuantity(@Root() load: Load & { deliveredQuantity: Decimal }): Decimal {
    return load.deliveredQuantity;
  }

  @FieldResolver(() => UnitOfMeasure, { description: 'The unit of `deliveredQuantity`.' })
  deliveredUnitOfMeasure(@Root() load: Load & { deliveredUnitOfMeasure: UnitOfMeasure }): UnitOfMeasure {
    return load.deliveredUnitOfMeasure;
  }
}

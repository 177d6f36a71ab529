import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Load } from '../dispatch/load.entity.ts';
import { AiReview } from './ai-review.entity.ts';
import { Ticket } from './ticket.entity.ts';

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
}

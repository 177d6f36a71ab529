import { Field, InputType } from 'type-graphql';
import { About } from '../../platform/model/about.ts';

export const SUPPLEMENT =
  'If the work is settled, or sent, paid or exported, the difference is billed by a supplement; otherwise this is refused.';

@InputType()
@About('Ticket')
export class VoidTicketInput {
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

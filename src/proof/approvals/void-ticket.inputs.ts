import { Field, InputType } from 'type-graphql';
import { SUPPLEMENT } from '../../dispatch/checks/supplements.ts';
import { About } from '../../platform/model/about.ts';

@InputType()
@About('Ticket')
export class VoidTicketInput {
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

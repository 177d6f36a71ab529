import { Field, InputType } from 'type-graphql';
import { SUPPLEMENT } from '../../dispatch/checks/supplements.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { TicketFieldsInput } from '../ticket.inputs.ts';
import { TicketAmendmentOrigin } from './ticket-amendment.entity.ts';

@InputType({ description: 'The corrections of an approved ticket: absent fields stay.' })
@About('Ticket')
export class AmendTicketInput extends TicketFieldsInput {
  @Field(() => String, { description: 'Why it is corrected.' }) @Length(1, 500) reason!: string;
  @Field(() => TicketAmendmentOrigin, { nullable: true, description: '`correction` by default; bills alone write back.' })
  origin?: TicketAmendmentOrigin | null;
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

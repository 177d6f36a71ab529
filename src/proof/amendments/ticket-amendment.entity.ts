import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Choice, One, RecordBase, stringEnum, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { Ticket } from '../ticket.entity.ts';

export const TicketAmendmentOrigin = stringEnum(
  'TicketAmendmentOrigin',
  ['write_back', 'correction', 'ocr_accept'],
  'From what a correction of a ticket comes.',
);
export type TicketAmendmentOrigin = keyof typeof TicketAmendmentOrigin;

/** A correction of one field of an approved ticket. Append only: replayed on the original they give the current values (A-I11). */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A correction of one field of an approved ticket.' })
export class TicketAmendment extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Ticket, { required: true, hidden: true }) ticket!: Ref<Ticket>;
  @Text({ required: true, description: 'Which field of the input: `quantity`, `materialId`.' }) field!: string;
  @Text({ description: 'The value before; null if there was none.' }) before?: string | null;
  @Text({ description: 'The value after; null if it was taken away.' }) after?: string | null;
  @Text({ required: true, description: 'Why it was corrected.' }) reason!: string;
  @Choice(() => TicketAmendmentOrigin, { required: true }) origin!: TicketAmendmentOrigin;
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Property({ type: 'uuid', nullable: true }) createdById?: string | null;
  @Property({ type: 'text', nullable: true })
  @Field(() => String, { nullable: true, description: 'The name of the person or program that corrected it.' })
  createdByName?: string | null;
}

export const amendedTicket = relatedFields(Ticket, {
  amendments: { many: () => TicketAmendment, foreign: 'ticket', order: { createdAt: 'asc' } },
});

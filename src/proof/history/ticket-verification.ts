import { Field, ID, Int, ObjectType } from 'type-graphql';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';

export const TicketBreakReason = stringEnum(
  'TicketBreakReason',
  ['row_changed', 'link_changed', 'link_missing', 'history_missing'],
  'Why the history of a ticket does not add up.',
);
export type TicketBreakReason = keyof typeof TicketBreakReason;

@ObjectType({ simpleResolvers: true, description: 'A place at which the history of a ticket does not add up.' })
export class TicketBreak {
  @Field(() => Int, { nullable: true, description: 'The link, from 1; null for the ticket itself.' }) number!: number | null;
  @Field(() => DateTime, { nullable: true, description: 'When the link says that it was written.' }) writtenAt!: Date | null;
  @Field(() => TicketBreakReason) reason!: TicketBreakReason;
}

@ObjectType({ simpleResolvers: true, description: 'Whether a ticket and its history are as they were written.' })
export class TicketVerification {
  @Field(() => ID) ticketId!: string;
  @Field(() => Boolean, {
    description: 'Every link has the hash of its content and of the link before, and the ticket says what the last one says.',
  })
  unbroken!: boolean;
  @Field(() => DateTime, { nullable: true, description: 'Since when it is unbroken; null if the ticket itself was changed.' })
  since!: Date | null;
  @Field(() => Int, { description: 'How often the ticket was written.' }) linksCount!: number;
  @Field(() => String, { nullable: true, description: 'The hash of the last link: SHA-256 in hexadecimal digits.' }) hash!: string | null;
  @Field(() => [TicketBreak], { description: 'Where it does not add up; empty if it is unbroken.' }) breaks!: TicketBreak[];
  @Field(() => String, { description: 'Answers the same to everybody, without a token.' }) verifyUrl!: string;
}

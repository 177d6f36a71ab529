import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Uuids } from '../../platform/model/columns.ts';
import { Computed, Many, Tenant } from '../../platform/model/decorators.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';

export const TicketChaseState = stringEnum(
  'TicketChaseState',
  ['open', 'answered', 'waived', 'given_up', 'stopped'],
  'Whether somebody is still reminded of missing tickets.',
);
export type TicketChaseState = keyof typeof TicketChaseState;

/** Reminders of the tickets that loads of a job lack (PROOF A4). A worker writes them. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'Reminders of the tickets that loads of a job lack.' })
export class TicketChase extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Job, { required: true, hidden: true }) job!: Ref<Job>;
  @Uuids({ hidden: true }) loadIds: string[] = [];
  /** Those whose tickets were missing when somebody was last reminded, or waived them. */
  @Many(() => Load, { ids: 'loadIds' }) loads!: Load[];
  @Choice(() => TicketChaseState, { required: true }) state: TicketChaseState = 'open';
  @Instant({ description: 'When it ended.' }) closedAt?: Date | null;
  @Instant({ description: 'When the office last asked for the tickets itself; the next reminder is due then.' }) askedAt?: Date | null;
  @Text({ description: 'Why it was waived.' }) reason?: string | null;
  @Field(() => Int, { description: 'The reminders so far, four at most.' })
  @Computed({ sql: (t) => `(select count(*)::int from ticket_chase_reminder r where r.chase_id = ${t}.id)` })
  remindersSent!: number;
}

export const openChaseKey = defineUnique('ticket_chase_open_key', { model: 'TicketChase', field: 'job' });
/** The reminders of a job's missing tickets. */
export const chasedJob = relatedFields(Job, {
  ticketChases: {
    many: () => TicketChase,
    foreign: 'job',
    order: { createdAt: 'asc' },
    description: 'How its driver was reminded of missing tickets, oldest first.',
  },
});

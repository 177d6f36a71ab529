import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Coordinate, Instant, One, RecordBase, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { Json } from '../../platform/scalars.ts';
import { Job } from './job.entity.ts';
import { JobEventName, JobEventSource, JobState } from './states.ts';

/** Something that happened to a job. The id may come from the telephone: repeating the same id changes nothing (DOMAIN 1.0). */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class JobEvent extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @One(() => Job, { required: true, hidden: true }) job!: Ref<Job>;
  @Uuid() loadId?: string | null;
  @Choice(() => JobEventName, { required: true }) eventName!: JobEventName;
  /** State of the job after the event. */
  @Choice(() => JobState, { required: true }) state!: JobState;
  @Choice(() => JobEventSource, { required: true }) eventSource: JobEventSource = 'web';
  @Instant({ required: true }) occurredAt!: Date;
  @Coordinate() lat?: Decimal | null;
  @Coordinate() lon?: Decimal | null;
  @Property({ type: 'jsonb', nullable: true }) @Field(() => Json, { nullable: true }) payload?: Record<string, unknown> | null;
  /** Since when it counts for nothing: it was an automatic one that a person undid. No time of the work is taken from it then. */
  @Instant({ description: 'When a person undid it, if it was an automatic one; it counts for nothing since.' }) undoneAt?: Date | null;
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Uuid({ hidden: true }) createdById?: string | null;
  @Text({ hidden: true }) createdByName?: string | null;
  /** The company whose people caused it; null for the owner's side and for what happens automatically. */
  @Uuid({ hidden: true }) createdByCompanyId?: string | null;
  /** The person who acted as the author; null also for events from before this was kept. */
  @Text({ hidden: true }) realActorType?: string | null;
  @Uuid({ hidden: true }) realActorId?: string | null;
  @Text({ hidden: true }) realActorName?: string | null;

  @Field(() => Principal)
  @Computed({
    columns: [
      ...['createdByType', 'createdById', 'createdByName', 'createdByCompanyId', 'companyId'],
      ...['realActorType', 'realActorId', 'realActorName'],
    ],
    compute: (row) =>
      principalOf({
        ...row,
        ...{ type: row.createdByType, id: row.createdById, name: row.createdByName },
        companyId: row.createdByCompanyId ?? row.companyId,
      }),
  })
  createdBy!: Principal;
}

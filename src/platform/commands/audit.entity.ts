import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { newId } from '../ids.ts';
import { Computed } from '../model/decorators.ts';
import { DateTime, Json } from '../scalars.ts';

/** The type of an author: a person, a machine client, or the system. */
@ObjectType({ simpleResolvers: true })
export class Principal {
  /** `User`, `M2MClient` or `System`. */
  @Field(() => String) type!: string;
  @Field(() => ID, { nullable: true }) id!: string | null;
  @Field(() => String, { nullable: true }) name!: string | null;
}

/** One change of a record: its author, and the changed fields with old and new value. Append only; timelines show it. */
@Entity({ tableName: 'audit_entry' })
@ObjectType('TimelineEntry', { simpleResolvers: true })
export class AuditEntry {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Property({ type: 'uuid' }) companyId!: string;
  @Property({ type: 'text' }) subjectType!: string;
  @Property({ type: 'uuid' }) subjectId!: string;
  /** `create`, `update` or `destroy`. */
  @Property({ type: 'text' }) @Field(() => String) event!: string;
  /** `{ field: [old, new] }` in snake_case field names. */
  @Property({ type: 'jsonb' }) @Field(() => Json) objectChanges: Record<string, [unknown, unknown]> = {};
  @Property({ type: 'text' }) createdByType!: string;
  @Property({ type: 'uuid', nullable: true }) createdById?: string | null;
  @Property({ type: 'text' }) createdByName!: string;
  /** The person who really acted, when somebody acted as another person. */
  @Property({ type: 'text', nullable: true }) realActorType?: string | null;
  @Property({ type: 'uuid', nullable: true }) realActorId?: string | null;
  @Property({ type: 'text', nullable: true }) realActorName?: string | null;
  @Property({ type: 'text' }) requestId!: string;
  /** The imported record whose payload asked for it; null for what its author did by hand. */
  @Property({ type: 'uuid', nullable: true }) importedRecordId?: string | null;
  @Property({ type: 'timestamptz', length: 6 }) @Field(() => DateTime) createdAt: Date = new Date();

  @Field(() => Principal)
  @Computed({
    columns: ['createdByType', 'createdById', 'createdByName'],
    compute: (row) => ({ type: row.createdByType, id: row.createdById, name: row.createdByName }),
  })
  createdBy!: Principal;

  @Computed({
    columns: ['realActorType', 'realActorId', 'realActorName'],
    compute: (row) => (row.realActorId === null ? null : { type: row.realActorType, id: row.realActorId, name: row.realActorName }),
  })
  realActor!: Principal | null;
}

import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { newId } from '../ids.ts';
import { stringEnum } from '../model/columns.ts';
import { Computed } from '../model/decorators.ts';
import { DateTime, Json } from '../scalars.ts';
import { AuditEvent } from './audit-event.ts';

export const PrincipalType = stringEnum('PrincipalType', ['User', 'Impersonation', 'M2MClient', 'System']);
export type PrincipalType = keyof typeof PrincipalType;

/** An author: a person, somebody who acts as a person, a machine client, or the system. */
@ObjectType({ simpleResolvers: true })
export class Principal {
  @Field(() => PrincipalType) type!: PrincipalType;
  @Field(() => ID, { nullable: true }) id!: string | null;
  @Field(() => String, { nullable: true }) name!: string | null;
  /** The company for which they acted, if it is known. */
  companyId?: string | null;
  /** The person who acted as this one. */
  realActor?: { type: string; id: string; name: string | null } | null;
}

interface PrincipalRow {
  type?: unknown;
  id?: unknown;
  name?: unknown;
  companyId?: unknown;
  realActorType?: unknown;
  realActorId?: unknown;
  realActorName?: unknown;
}

/** The author that columns of a row name. */
export function principalOf({ type, id, name, companyId, realActorType, realActorId, realActorName }: PrincipalRow): Principal {
  const realActor = realActorId ? { type: String(realActorType), id: String(realActorId), name: realActorName as string | null } : null;
  return {
    type: type as PrincipalType,
    id: id as string | null,
    name: name as string | null,
    companyId: companyId as string | null,
    realActor,
  };
}

/** One change of a record: its author, and the changed fields with old and new value. Append only; timelines show it. */
@Entity({ tableName: 'audit_entry' })
@ObjectType('TimelineEntry', { simpleResolvers: true })
export class AuditEntry {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Property({ type: 'uuid' }) companyId!: string;
  @Property({ type: 'text' }) subjectType!: string;
  @Property({ type: 'uuid' }) subjectId!: string;
  @Property({ type: 'text' }) @Field(() => AuditEvent) event!: AuditEvent;
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
    columns: ['createdByType', 'createdById', 'createdByName', 'companyId', 'realActorType', 'realActorId', 'realActorName'],
    compute: (row) => principalOf({ ...row, type: row.createdByType, id: row.createdById, name: row.createdByName }),
  })
  createdBy!: Principal;

  @Computed({
    columns: ['realActorType', 'realActorId', 'realActorName'],
    compute: (row) => (row.realActorId === null ? null : { type: row.realActorType, id: row.realActorId, name: row.realActorName }),
  })
  realActor!: Principal | null;
}

import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { newId } from '../ids.ts';

/** One step of a state machine: who, what, from, to, when. Append only. */
@Entity({ tableName: 'transition' })
export class Transition {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'uuid' }) companyId!: string;
  @Property({ type: 'text' }) subjectType!: string;
  @Property({ type: 'uuid' }) subjectId!: string;
  @Property({ type: 'text' }) event!: string;
  @Property({ type: 'text' }) fromState!: string;
  @Property({ type: 'text' }) toState!: string;
  @Property({ type: 'text' }) createdByType!: string;
  @Property({ type: 'uuid', nullable: true }) createdById?: string | null;
  @Property({ type: 'text' }) createdByName!: string;
  @Property({ type: 'text' }) requestId!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
}

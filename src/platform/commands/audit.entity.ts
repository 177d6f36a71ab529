import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { newId } from '../ids.ts';

/** Who changed which fields of a record from what to what. Append only. */
@Entity({ tableName: 'audit_entry' })
export class AuditEntry {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'uuid' }) companyId!: string;
  @Property({ type: 'text' }) subjectType!: string;
  @Property({ type: 'uuid' }) subjectId!: string;
  /** `create`, `update` or `destroy`. */
  @Property({ type: 'text' }) event!: string;
  /** `{ field: [old, new] }` in snake_case field names. */
  @Property({ type: 'jsonb' }) objectChanges: Record<string, [unknown, unknown]> = {};
  @Property({ type: 'text' }) createdByType!: string;
  @Property({ type: 'uuid', nullable: true }) createdById?: string | null;
  @Property({ type: 'text' }) createdByName!: string;
  @Property({ type: 'text' }) requestId!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
}

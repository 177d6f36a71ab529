import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { newId } from '../ids.ts';

/**
 * Something that happened, written in the transaction in which it happened: the log of it, which notifications follow. Webhooks are written by that
 * transaction itself (D-EVENTS-2), and changes for the feed by triggers (D-EVENTS-12).
 */
@Entity({ tableName: 'outbox_event' })
export class OutboxEvent {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  /** Order of insertion; transactions commit in another order, so a reader must also stay below `transactionId` of running ones. */
  @Property({ type: 'bigint', persist: false }) position?: string;
  /** pg_current_xact_id() of the writer, to be compared with pg_snapshot_xmin(pg_current_snapshot()). */
  @Property({ columnType: 'xid8', type: 'string', persist: false }) transactionId?: string;
  @Property({ type: 'uuid' }) companyId!: string;
  /** `order.accepted`, `load.approved`. */
  @Property({ type: 'text' }) name!: string;
  @Property({ type: 'text' }) subjectType!: string;
  @Property({ type: 'uuid' }) subjectId!: string;
  @Property({ type: 'jsonb' }) payload: Record<string, unknown> = {};
  @Property({ type: 'text' }) createdByType!: string;
  @Property({ type: 'uuid', nullable: true }) createdById?: string | null;
  @Property({ type: 'text' }) createdByName!: string;
  @Property({ type: 'text' }) requestId!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
}

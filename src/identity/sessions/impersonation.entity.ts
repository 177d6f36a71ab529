import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { newId } from '../../platform/ids.ts';

/** Somebody acts as a person. Its token opens nothing once it has ended, or once the actor may not any more. */
@Entity({ tableName: 'impersonation' })
export class Impersonation {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  /** The person's. */
  @Property({ type: 'uuid' }) companyId!: string;
  @Property({ type: 'uuid' }) userId!: string;
  /** `User` or `M2MClient`. */
  @Property({ type: 'text' }) actorType!: string;
  @Property({ type: 'uuid' }) actorId!: string;
  @Property({ type: 'text' }) actorName!: string;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) endedAt?: Date | null;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
  @Property({ type: 'timestamptz', length: 6, onUpdate: () => new Date() }) updatedAt: Date = new Date();
}

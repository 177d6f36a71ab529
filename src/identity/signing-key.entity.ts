import type { JsonWebKey } from 'node:crypto';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { newId } from '../platform/ids.ts';

/** A key pair tokens are signed with. The newest that is not retired signs; retired ones verify until their row is deleted. */
@Entity({ tableName: 'signing_key' })
export class SigningKey {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'text', unique: true }) kid!: string;
  @Property({ type: 'text' }) algorithm: string = 'ES256';
  @Property({ type: 'jsonb' }) publicJwk!: JsonWebKey;
  @Property({ type: 'jsonb' }) privateJwk!: JsonWebKey;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
  @Property({ type: 'timestamptz', length: 6, nullable: true }) retiredAt?: Date | null;
}

import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { reserveForPurposes } from '../../platform/database/scope.ts';
import { newId } from '../../platform/ids.ts';

/** The password of a user, as `$argon2id$v=19$m=..,t=..,p=..$salt$hash`. */
@Entity({ tableName: 'credential' })
export class Credential {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'uuid', unique: true }) userId!: string;
  @Property({ type: 'text' }) passwordHash!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
  @Property({ type: 'timestamptz', length: 6, onUpdate: () => new Date() }) updatedAt: Date = new Date();
}

// A request that only reads people has no business with their hashes.
export const credentialReserved = reserveForPurposes('credential');

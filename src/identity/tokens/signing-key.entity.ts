import type { JsonWebKey } from 'node:crypto';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { definePurpose, reserveForPurposes } from '../../platform/database/scope.ts';
import { newId } from '../../platform/ids.ts';

/** Algorithms for which a key may be made; a key signs and verifies only with its own. */
const KEY_ALGORITHMS = ['ES256', 'RS256'] as const;
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

/** Reads and changes the keys that sign tokens. Code that makes or checks a token does not read the table by itself. */
export const SIGNING = definePurpose('signing', { signing_key: ['select', 'insert', 'delete'] });
export const signingKeyReserved = reserveForPurposes('signing_key');

/** A key pair tokens are signed with: by the newest whose `signsFrom` has come, verified by all. */
@Entity({ tableName: 'signing_key' })
export class SigningKey {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'text', unique: true }) kid!: string;
  @Property({ type: 'text' }) algorithm: KeyAlgorithm = 'ES256';
  @Property({ type: 'jsonb' }) publicJwk!: JsonWebKey;
  /** Sealed; keys made before they were are plain. */
  @Property({ type: 'jsonb' }) privateJwk!: { sealed: string } | JsonWebKey;
  /** Before this time it is only published, so that clients that cache the JWKS know it in time. */
  @Property({ type: 'timestamptz', length: 6 }) signsFrom: Date = new Date();
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
}

import type { JsonWebKey } from 'node:crypto';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { definePurpose, reserveForPurposes } from '../../platform/database/scope.ts';
import { newId } from '../../platform/ids.ts';

/** Algorithms a key may be made for; it signs and verifies with that one only. */
export const KEY_ALGORITHMS = ['ES256', 'RS256'] as const;
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

/** Reading the keys that tokens are signed with, and changing them. Nobody who makes or checks a token asks the table by themselves. */
export const SIGNING = definePurpose('signing', { signing_key: ['select', 'insert', 'delete'] });
reserveForPurposes('signing_key');

/** A key pair tokens are signed with: by the newest whose `signsFrom` has come, verified by all. */
@Entity({ tableName: 'signing_key' })
export class SigningKey {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'text', unique: true }) kid!: string;
  @Property({ type: 'text' }) algorithm: KeyAlgorithm = 'ES256';
  @Property({ type: 'jsonb' }) publicJwk!: JsonWebKey;
  /** Sealed; keys made before they were are plain. */
  @Property({ type: 'jsonb' }) privateJwk!: { sealed: string } | JsonWebKey;
  /** Before, it is only published, so that whoever keeps the JWKS for a while knows it in time. */
  @Property({ type: 'timestamptz', length: 6 }) signsFrom: Date = new Date();
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
}

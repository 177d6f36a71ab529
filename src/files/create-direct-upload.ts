import { Field, InputType, Int } from 'type-graphql';
import { viewerOf } from '../platform/authz/authorization.ts';
import { transact } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { queryIn } from '../platform/database/sql.ts';
import { worldTime } from '../platform/database/time/sandbox-time.ts';
import { type ErrorItem, Invalid, TooMany } from '../platform/errors.ts';
import { Length, OneOf, Range } from '../platform/graphql/rules.ts';
import { Json } from '../platform/scalars.ts';
import { DirectUpload } from './direct-upload.entity.ts';
import { MIME_TYPES } from './file-content.ts';
import { FILE_LIMIT } from './read-form.ts';

@InputType()
export class CreateDirectUploadInput {
  @Field(() => String) @Length(1, 1_000) filename!: string;
  @Field(() => Int, { description: 'In bytes; at most 10 MB.' }) @Range(1, FILE_LIMIT) byteSize!: number;
  @Field(() => String, { description: 'MD5 of the bytes, base64.' }) checksum!: string;
  @Field(() => String) @OneOf(MIME_TYPES) contentType!: string;
  @Field(() => Json, { nullable: true, description: 'Stored and returned as it is; at most 4,096 characters of JSON.' })
  metadata?: object | null;
}

/** Milliseconds until an upload has to be attached. */
const LIFETIME = 3_600_000;
/** Uploads that somebody may have open at a time. */
const OPEN_LIMIT = 1_000;
const RETRY_AFTER = 300;
const METADATA_LIMIT = 4_096;

/** Announces a file. @throws Invalid for a checksum or metadata that cannot be; TooMany when OPEN_LIMIT uploads wait already */
export function createDirectUpload(ctx: Context, input: CreateDirectUploadInput): Promise<{ id: string }> {
  const viewer = viewerOf(ctx);
  const items: ErrorItem[] = [];
  const wrong = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model: 'DirectUpload', field, key, params });
  if (!/^[A-Za-z0-9+/]{22}==$/.test(input.checksum)) wrong('checksum', 'checksum_malformed');
  const { metadata } = input;
  if (metadata !== undefined && metadata !== null) {
    if (typeof metadata !== 'object' || Array.isArray(metadata)) wrong('metadata', 'not_an_object');
    else if (JSON.stringify(metadata).length > METADATA_LIMIT) wrong('metadata', 'wrong_length', { min: 0, max: METADATA_LIMIT });
  }
  if (items.length > 0) throw new Invalid(items);
  return transact(ctx, async (tx) => {
    const [{ open } = { open: 0 }] = await queryIn<{ open: number }>(
      tx.em,
      'select count(*)::int as open from direct_upload where company_id = $1 and created_by_id = $2 and expires_at > now()',
      [viewer.companyId, viewer.id],
    );
    if (open >= OPEN_LIMIT) throw new TooMany(RETRY_AFTER);
    const upload = Object.assign(new DirectUpload(), {
      ...input,
      companyId: viewer.companyId,
      createdByType: viewer.type,
      createdById: viewer.id,
      expiresAt: new Date(worldTime(tx.tx).getTime() + LIFETIME),
    });
    tx.em.persist(upload);
    return { id: upload.id };
  });
}

import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import type { Application } from '../platform/application.ts';
import { Audited } from '../platform/commands/audit.ts';
import { newId } from '../platform/ids.ts';
import { Instant, Text, Uuid, Whole } from '../platform/model/columns.ts';
import { Computed, Tenant } from '../platform/model/decorators.ts';
import { Json } from '../platform/scalars.ts';
import { putUrlOf } from './file-url.ts';
import { type SignedFor, signId } from './signed-ids.ts';

/** Where the bytes of an announced file go: PUT, with these headers, without a token. */
@ObjectType({ simpleResolvers: true })
export class DirectUploadTarget {
  @Field(() => String) url!: string;
  @Field(() => Json) headers!: Record<string, string>;
}

const signed = (application: Application, row: Record<string, unknown>, purpose: SignedFor): string =>
  signId(application, purpose, {
    id: String(row.id),
    companyId: String(row.companyId),
    expires: new Date(row.expiresAt as string).getTime(),
  });

/** A file that is announced first, sent without a token, and attached by its `signedId`: once, by somebody of the same company, within an hour. */
@Entity({ tableName: 'direct_upload' })
@Audited({ except: ['checksum', 'fileId', 'sha256', 'fileName', 'metadata'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class DirectUpload {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Text({ required: true }) filename!: string;
  @Whole({ required: true }) byteSize!: number;
  /** MD5 of the bytes, base64. */
  @Text({ required: true }) checksum!: string;
  @Text({ required: true }) contentType!: string;
  @Property({ type: 'json', nullable: true }) @Field(() => Json, { nullable: true }) metadata?: object | null;
  @Instant({ required: true }) createdAt: Date = new Date();
  @Instant({ required: true, hidden: true }) expiresAt!: Date;
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Uuid({ required: true, hidden: true }) createdById!: string;
  /** Key of the bytes once they have arrived; becomes the id of the record that is made from them. */
  @Uuid({ hidden: true }) fileId?: string | null;
  @Text({ hidden: true }) fileName?: string | null;
  @Text({ hidden: true }) sha256?: string | null;

  @Field(() => String)
  @Computed({ columns: ['id'], compute: (row) => row.id })
  key!: string;
  @Field(() => String)
  @Computed({ columns: [], compute: () => 'haulgate' })
  serviceName!: string;
  /** The id by which the file is attached. */
  @Field(() => String)
  @Computed({ columns: ['id', 'companyId', 'expiresAt'], compute: (row, application) => signed(application, row, 'attach') })
  signedId!: string;
  @Field(() => DirectUploadTarget)
  @Computed({
    columns: ['id', 'companyId', 'expiresAt', 'contentType', 'checksum'],
    compute: (row, application) => ({
      url: putUrlOf(application, signed(application, row, 'put')),
      headers: { 'Content-Type': row.contentType, 'Content-MD5': row.checksum },
    }),
  })
  directUpload!: DirectUploadTarget;
}

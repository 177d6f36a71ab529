import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Instant, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const BulkDownloadType = stringEnum('BulkDownloadType', ['zip', 'pdf']);
export type BulkDownloadType = keyof typeof BulkDownloadType;
export const BulkDownloadState = stringEnum('BulkDownloadState', ['pending', 'success', 'error']);
export type BulkDownloadState = keyof typeof BulkDownloadState;

/** Where an archive is served, in OpenAPI spelling. */
export const DOWNLOAD_PATH = '/v1/bulk_downloads/{id}/file';

/** A file that goes into an archive: where its bytes are, and what it is called there. */
export interface PackedFile {
  key: string;
  /** With the folder of its job; no other file of the archive is called so. */
  name: string;
}

/**
 * Files of many jobs in one archive, or as the pages of one PDF. Its contents were decided when it was requested, by what the caller may
 * read; only they get it, for a day. Packed by download-worker.ts.
 */
@Entity({ tableName: 'bulk_download' })
@Audited({ except: ['files', 'language', 'fileId', 'byteSize', 'dueAt'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class BulkDownload {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Instant({ required: true }) createdAt: Date = new Date();
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Uuid({ required: true, hidden: true }) createdById!: string;
  @Choice(() => BulkDownloadType, { required: true }) type!: BulkDownloadType;
  @Choice(() => BulkDownloadState, { required: true }) state: BulkDownloadState = 'pending';
  @Whole({ required: true }) fileCount!: number;
  @Property({ type: 'json' }) files!: PackedFile[];
  /** The language of the caller, for texts in the PDF about files that have no pages. */
  @Text({ required: true, hidden: true }) language: Language = 'en';
  /** When the archive is removed, and what was asked is forgotten. */
  @Instant({ required: true }) expiresAt!: Date;
  /** Key of the archive's bytes. */
  @Uuid({ hidden: true }) fileId?: string | null;
  @Whole({ hidden: true }) byteSize?: number | null;
  @Instant({ hidden: true }) dueAt?: Date | null;
}

/** An archive that is ready. */
@ObjectType({ simpleResolvers: true })
export class BulkDownloadObject {
  @Field(() => String, { description: 'Where the archive is. The URL opens it without a token for 15 to 30 minutes.' }) url!: string;
  @Field(() => String) name!: string;
}

export const archiveNameOf = (type: BulkDownloadType, createdAt: Date): string => `files-${createdAt.toISOString().slice(0, 10)}.${type}`;
export const mimeTypeOf = (type: BulkDownloadType): string => `application/${type}`;

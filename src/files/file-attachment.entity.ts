import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../platform/commands/audit.ts';
import { Choice, RecordBase, stringEnum, Text, Uuid, Whole } from '../platform/model/columns.ts';
import { Computed, Tenant } from '../platform/model/decorators.ts';
import { FILE_PATH, PREVIEW_PATH, signedUrlOf } from './file-url.ts';

/** SPEC "FileAttachment category"; texts, because GraphQL enums cannot spell them. */
export const FILE_CATEGORIES = [
  'Inspection Report',
  'Site Map',
  'Scale Ticket (External)',
  'Scale Ticket (Internal)',
  'Timesheet',
  'Other',
] as const;
export type FileCategory = (typeof FILE_CATEGORIES)[number];

export const FileAttachableType = stringEnum('FileAttachableType', [
  'DriverDay',
  'Job',
  'Load',
  'Order',
  'Project',
  'Settlement',
  'Ticket',
]);
export type FileAttachableType = keyof typeof FileAttachableType;

/** A file of a record (SPEC "FileAttachment"). Its bytes lie in the storage under its id. */
@Entity()
@Audited({ except: ['sha256', 'fingerprint', 'previewId', 'previewMimeType', 'previewSize'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class FileAttachment extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Text({ required: true, description: `One of: ${FILE_CATEGORIES.join(', ')}.` }) category!: FileCategory;
  @Text() description?: string | null;
  @Choice(() => FileAttachableType, { required: true }) fileAttachableType!: FileAttachableType;
  @Uuid({ required: true }) fileAttachableId!: string;
  @Text({ required: true }) fileName!: string;
  /** Found from the content, not taken from the sender. */
  @Text({ required: true }) mimeType!: string;
  @Whole({ required: true, hidden: true }) byteSize!: number;
  /** Of the bytes, lower case hexadecimal. */
  @Text({ required: true, hidden: true }) sha256!: string;
  /** Equal for the same upload sent again; null when repeated uploads are meant to be several files. */
  @Text({ hidden: true }) fingerprint?: string | null;
  @Text({ required: true, hidden: true }) uploadedByType!: string;
  @Uuid({ required: true, hidden: true }) uploadedById!: string;
  @Text({ required: true, hidden: true }) uploadedByName!: string;
  /** The company the uploader belonged to. */
  @Uuid({ required: true, hidden: true }) uploadedByCompanyId!: string;
  /** The person who acted as the uploader; null also for files from before this was kept. */
  @Text({ hidden: true }) realActorType?: string | null;
  @Uuid({ hidden: true }) realActorId?: string | null;
  @Text({ hidden: true }) realActorName?: string | null;
  /** Key of the preview's bytes; previews/preview-worker.ts sets it, and null stays null where the file cannot be shown. */
  @Uuid({ hidden: true }) previewId?: string | null;
  @Text() previewMimeType?: string | null;
  @Whole({ hidden: true }) previewSize?: number | null;

  @Field(() => String, { description: 'Where the file is. The URL opens it without a token for 15 to 30 minutes.' })
  @Computed({
    columns: ['id', 'companyId'],
    compute: ({ id, companyId }, application) => signedUrlOf(application, FILE_PATH, { id, companyId, key: id }),
  })
  fileUrl!: string;

  @Field(() => String, { nullable: true })
  @Computed({
    columns: ['id', 'companyId', 'previewId'],
    compute: ({ id, companyId, previewId: key }, application) =>
      key ? signedUrlOf(application, PREVIEW_PATH, { id, companyId, key }) : null,
  })
  previewUrl!: string | null;
}

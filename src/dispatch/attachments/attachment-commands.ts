import { Field, InputType } from 'type-graphql';
import { FILE_CATEGORIES, type FileAttachableType, FileAttachment, type FileCategory } from '../../files/file-attachment.entity.ts';
import { forgetBytes } from '../../files/forget-bytes.ts';
import { takeUpload } from '../../files/take-upload.ts';
import { uploaderColumns } from '../../files/uploader-columns.ts';
import { type FindOptions, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { wakeWorkers } from '../../platform/commands/wake-workers.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import { Length, OneOf } from '../../platform/graphql/rules.ts';
import { mayAttach, mayReadFiles, objection, readsFilesOf } from './attachment.policy.ts';

const optional = { nullable: true };
const DESCRIPTION_LIMIT = 10_000;

@InputType()
export class CreateFileAttachmentInput {
  @Field(() => String, { description: 'The signed id of a direct upload.' }) file!: string;
  @Field(() => String, { nullable: true, description: 'By default, `Other`.' }) @OneOf(FILE_CATEGORIES) category?: FileCategory | null;
  @Field(() => String, optional) @Length(0, DESCRIPTION_LIMIT) description?: string | null;
}

@InputType()
export class UpdateFileAttachmentInput {
  @Field(() => String, optional) @OneOf(FILE_CATEGORIES) category?: FileCategory | null;
  @Field(() => String, optional) @Length(0, DESCRIPTION_LIMIT) description?: string | null;
}

/** A record that gets a file, and the path by which it was requested. */
export interface AttachTo extends Pick<FindOptions, 'companyId'> {
  type: FileAttachableType;
  id: string;
}

/**
 * Returns the record that is to get a file, and its company. Only records that the caller may see are found.
 * @throws Missing; Denied for somebody who reads no record of its kind
 */
export async function attachableOf(
  ctx: Context,
  { type, id, companyId }: AttachTo,
  lock = false,
): Promise<{ id: string; companyId: string }> {
  const { entity } = mayReadFiles(ctx, type);
  const owner = await find(ctx, entity, id, { companyId, lock, readable: true });
  return { id: owner.id, companyId: owner.company.id };
}

/** Attaches an upload, which can be used only once. The file belongs to the record's company. @throws Missing, Denied, Invalid */
export function createFileAttachment(ctx: Context, to: AttachTo, input: CreateFileAttachmentInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    // The record is locked, so that a vendor may write for its owner and nobody deletes it meanwhile.
    const owner = await attachableOf(tx, to, true);
    const viewer = mayAttach(tx, to.type, owner.companyId);
    const upload = await takeUpload(tx, input.file, { model: 'FileAttachment', field: 'file' });
    const about = { fileAttachableType: to.type, fileAttachableId: owner.id };
    const file = Object.assign(new FileAttachment(), {
      ...upload,
      ...about,
      companyId: owner.companyId,
      category: input.category ?? 'Other',
      description: input.description || null,
      ...uploaderColumns(viewer),
    });
    tx.em.persist(file);
    wakeWorkers(tx);
    emitEvent(tx, 'file_attachment.created', file, { file_attachable_type: to.type, file_attachable_id: owner.id });
    return { id: file.id };
  });
}

/** Changes the name and type of a file; absent fields are kept. @throws Missing, Denied, Invalid */
export function updateFileAttachment(ctx: Context, id: string, input: UpdateFileAttachmentInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const file = await lockFile(tx, id, 'edit');
    if (input.category === null) throw new Invalid([{ model: 'FileAttachment', field: 'category', key: 'required' }]);
    if (input.category) file.category = input.category;
    if (input.description !== undefined) file.description = input.description || null;
    emitEvent(tx, 'file_attachment.updated', file);
    return { id: file.id };
  });
}

/** Deletes a file, and its bytes after the commit. @throws Missing, Denied */
export function deleteFileAttachment(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    removeFile(tx, await lockFile(tx, id, 'delete'));
  });
}

/** Locks a file that the caller may change. @throws Missing, Denied */
async function lockFile(tx: TxContext, id: string, verb: 'edit' | 'delete'): Promise<FileAttachment> {
  const file = await find(tx, FileAttachment, id, { lock: true });
  if (!readsFilesOf(tx, file.fileAttachableType)) throw new Missing();
  const no = objection(tx, file, verb);
  if (no) throw no;
  return file;
}

/** Deletes the files of a record that is deleted, because nobody could reach them any more. */
export async function removeFilesOf(tx: TxContext, type: FileAttachableType, ids: readonly string[]): Promise<void> {
  const files = await tx.em.find(
    FileAttachment,
    { fileAttachableType: type, fileAttachableId: { $in: [...ids] } },
    { filters: { tenant: false } },
  );
  for (const file of files) removeFile(tx, file);
}

function removeFile(tx: TxContext, file: FileAttachment): void {
  emitEvent(tx, 'file_attachment.deleted', file, {
    file_attachable_type: file.fileAttachableType,
    file_attachable_id: file.fileAttachableId,
  });
  tx.em.remove(file);
  forgetBytes(tx, file.id, file.previewId);
}

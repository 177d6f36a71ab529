import { type Attachable, attachableKind, hiddenKinds } from '../../files/attachable.ts';
import type { FileAttachableType, FileAttachment } from '../../files/file-attachment.entity.ts';
import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/run.ts';

type Verb = 'create' | 'edit' | 'delete';

/** The permission for files of a type, such as `create_driver_day_attachments` for `DriverDay`. */
export const permissionOf = (verb: Verb, type: FileAttachableType): string =>
  `${verb}_${type.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}_attachments`;

/** Whether somebody reads the files of a kind of record. */
export const readsFilesOf = (ctx: Context, type: FileAttachableType): boolean =>
  attachableKind(type).readers?.some((permission) => viewerOf(ctx).can(permission)) ?? true;

/** Returns a kind of record whose files the viewer reads. @throws Denied */
export function mayReadFiles(ctx: Context, type: FileAttachableType): Attachable {
  const kind = attachableKind(type);
  if (!readsFilesOf(ctx, type)) throw denial(viewerOf(ctx), kind.readers![0]!);
  return kind;
}

/** The condition of files that the viewer reads, of whatever record. */
export function filesRead(ctx: Context): Where[] {
  const viewer = viewerOf(ctx);
  const hidden = hiddenKinds((permission) => viewer.can(permission));
  if (hidden.length === 0) return [];
  return [{ key: 'kinds of files', sql: (t, p) => `${t}.file_attachable_type <> all(${p})`, cast: 'text[]', value: hidden }];
}

/**
 * A company that hauls a job may attach files to it and its loads. Only the owner's side may attach files to other records.
 * @param ownerId company of the record
 * @throws Denied
 */
export function mayAttach(ctx: Context, type: FileAttachableType, ownerId: string): Viewer {
  const viewer = viewerOf(ctx);
  const permission = permissionOf('create', type);
  if (!viewer.can(permission)) throw denial(viewer, permission);
  if (!attachableKind(type).hauled && !viewer.companyIds.includes(ownerId)) throw new Denied(permission, 'permission_of_owning_company');
  return viewer;
}

type Owned = Pick<FileAttachment, 'fileAttachableType' | 'uploadedById' | 'uploadedByCompanyId' | 'companyId'>;

/**
 * Returns why the viewer may not change a file; undefined if they may. Office staff change the files of their own side; drivers and foremen
 * change what they uploaded (DOMAIN section 2).
 */
export function objection(ctx: Context, file: Owned, verb: 'edit' | 'delete'): Denied | undefined {
  const viewer = viewerOf(ctx);
  const permission = permissionOf(verb, file.fileAttachableType);
  if (file.uploadedById === viewer.id && viewer.can(`${permission}:own`)) return undefined;
  if (!viewer.can(permission)) return denial(viewer, permission);
  const side = viewer.companyIds.includes(file.companyId) || viewer.companyIds.includes(file.uploadedByCompanyId);
  return side ? undefined : new Denied(permission, 'permission_of_owning_company');
}

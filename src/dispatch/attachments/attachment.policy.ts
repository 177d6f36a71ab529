import type { FileAttachableType, FileAttachment } from '../../files/file-attachment.entity.ts';
import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';

type Verb = 'create' | 'edit' | 'delete';

/** The permission for files of a type, such as `create_driver_day_attachments` for `DriverDay`. */
const permissionOf = (verb: Verb, type: FileAttachableType): string =>
  `${verb}_${type.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}_attachments`;

/**
 * A company that hauls a job may attach files to it and its loads. Only the owner's side may attach files to orders, projects and driver
 * days.
 * @param ownerId company of the record
 * @throws Denied
 */
export function mayAttach(ctx: Context, type: FileAttachableType, ownerId: string): Viewer {
  const viewer = viewerOf(ctx);
  const permission = permissionOf('create', type);
  if (!viewer.can(permission)) throw denial(viewer, permission);
  const hauled = type === 'Job' || type === 'Load';
  if (!hauled && !viewer.companyIds.includes(ownerId)) throw new Denied(permission, 'permission_of_owning_company');
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

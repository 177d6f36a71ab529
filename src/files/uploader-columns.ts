import { realActorColumns } from '../platform/commands/real-actor.ts';
import type { Viewer } from '../platform/context.ts';
import type { FileAttachment } from './file-attachment.entity.ts';

type Uploader =
  | 'uploadedByType'
  | 'uploadedById'
  | 'uploadedByName'
  | 'uploadedByCompanyId'
  | 'realActorType'
  | 'realActorId'
  | 'realActorName';

/** Returns the columns of a file that name the one who uploads it. */
export const uploaderColumns = (viewer: Viewer): Pick<FileAttachment, Uploader> => ({
  ...{ uploadedByType: viewer.type, uploadedById: viewer.id, uploadedByName: viewer.name, uploadedByCompanyId: viewer.companyId },
  ...realActorColumns(viewer),
});

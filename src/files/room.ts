import { DirectUpload } from './direct-upload.entity.ts';
import { DirectUploadResolver } from './direct-upload.resolver.ts';
import { FileAttachment } from './file-attachment.entity.ts';

/** The entities of the room. */
export const entities = [FileAttachment, DirectUpload];

/** The fields of the room's interface. */
export const resolvers: Function[] = [DirectUploadResolver];

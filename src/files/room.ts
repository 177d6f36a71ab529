import { DirectUpload } from './direct-upload.entity.ts';
import { DirectUploadResolver } from './direct-upload.resolver.ts';
import { FileAttachment } from './file-attachment.entity.ts';
import { filesMessages } from './files.messages.ts';
import { PREVIEWS } from './previews/preview-queue.ts';
import { ORPHANS } from './sweep-files.ts';

/** The entities of the room. */
export const entities = [FileAttachment, DirectUpload];

/** The room's messages. */
export const messages = [filesMessages];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [PREVIEWS, ORPHANS];

/** The fields of the room's interface. */
export const resolvers: Function[] = [DirectUploadResolver];

import type { InApplication } from '../platform/application.ts';
import { publicUrl } from '../platform/public-url.ts';

/** Where the bytes of an attachment are served, in OpenAPI spelling. */
export const FILE_PATH = '/v1/file_attachments/{id}/file';

/** Where the preview of an attachment is served, in OpenAPI spelling. */
export const PREVIEW_PATH = '/v1/file_attachments/{id}/preview';

/** Where the bytes of an announced file are sent. */
export const PUT_PATH = '/v1/direct_uploads/{token}/file';

/** The URL of an attachment's bytes; it needs the same bearer token as everything else. */
export function fileUrlOf(application: InApplication, id: string): string {
  return publicUrl.of(application) + FILE_PATH.replace('{id}', id);
}

/** The URL of an attachment's preview, for everybody who may read the file. */
export function previewUrlOf(application: InApplication, id: string): string {
  return publicUrl.of(application) + PREVIEW_PATH.replace('{id}', id);
}

/** The URL to which a client PUTs the bytes of an announced file; anybody who has it may do so. */
export function putUrlOf(application: InApplication, token: string): string {
  return publicUrl.of(application) + PUT_PATH.replace('{token}', token);
}

/** Where the bytes of an attachment are served, in OpenAPI spelling. */
export const FILE_PATH = '/v1/file_attachments/{id}/file';

/** Where the preview of an attachment is served, in OpenAPI spelling. */
export const PREVIEW_PATH = '/v1/file_attachments/{id}/preview';

/** Where the bytes of an announced file are sent. */
export const PUT_PATH = '/v1/direct_uploads/{token}/file';

let base = '';

/** Names the address under which clients reach this server, for the URLs of files; without a slash at its end. */
export function serveFilesAt(url: string): void {
  base = url.replace(/\/+$/, '');
}

/** The address under which clients reach this server. */
export const fileBase = (): string => base;

/** The URL of an attachment's bytes; it needs the same bearer token as everything else. */
export function fileUrlOf(id: string): string {
  return base + FILE_PATH.replace('{id}', id);
}

/** The URL of an attachment's preview, for everybody who may read the file. */
export function previewUrlOf(id: string): string {
  return base + PREVIEW_PATH.replace('{id}', id);
}

/** The URL to which a client PUTs the bytes of an announced file; anybody who has it may do so. */
export function putUrlOf(token: string): string {
  return base + PUT_PATH.replace('{token}', token);
}

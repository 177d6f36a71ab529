import type { InApplication } from '../platform/application.ts';
import { publicUrl, SIGNATURE } from '../platform/public-url.ts';
import { readSignedId, type SignedId, signId } from './signed-ids.ts';

/** Where the bytes of an attachment are served, in OpenAPI spelling. */
export const FILE_PATH = '/v1/file_attachments/{id}/file';

/** Where the preview of an attachment is served, in OpenAPI spelling. */
export const PREVIEW_PATH = '/v1/file_attachments/{id}/preview';

/** Where the bytes of an announced file are sent. */
export const PUT_PATH = '/v1/direct_uploads/{token}/file';

/** Milliseconds during which the URL of the same bytes stays the same, so that browsers can keep them. */
const WINDOW = 15 * 60_000;

/** Stored bytes of a record. */
interface Stored {
  /** Of the record. */
  id: unknown;
  /** Of the bytes in the storage. */
  key: unknown;
  /** Of the company whose record it is. */
  companyId: unknown;
}

/**
 * The URL at which stored bytes are served to everybody who has it, without a token, for 15 to 30 minutes: a browser's `<img>` sends none.
 * It opens these bytes only, and not those that replace them.
 * @param path where the bytes of such records are served, in OpenAPI spelling
 */
export function signedUrlOf(application: InApplication, path: string, { id, key, companyId }: Stored): string {
  const place = path.replace('{id}', String(id));
  const expires = (Math.floor(Date.now() / WINDOW) + 2) * WINDOW;
  const signature = signId(application, `get ${place}`, { id: String(key), companyId: String(companyId), expires });
  return `${publicUrl.of(application)}${place}?${SIGNATURE}=${signature}`;
}

/** Returns the content that a signature opens at a path; undefined when we did not make it for this path, or it has expired. */
export const readSignature = (application: InApplication, path: string, id: string, signature: string): SignedId | undefined =>
  readSignedId(application, `get ${path.replace('{id}', id)}`, signature);

/** The URL to which a client PUTs the bytes of an announced file; anybody who has it may do so. */
export function putUrlOf(application: InApplication, token: string): string {
  return publicUrl.of(application) + PUT_PATH.replace('{token}', token);
}

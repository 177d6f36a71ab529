import type { InApplication } from '../platform/application.ts';
import { publicUrl } from '../platform/public-url.ts';

/** Where the picture of a ticket is served, and its preview, in OpenAPI spelling. */
export const TICKET_IMAGE_PATH = '/v1/tickets/{id}/image/file';
export const TICKET_PREVIEW_PATH = '/v1/tickets/{id}/image/preview';

export const ticketImageUrlOf = (application: InApplication, id: string): string =>
  publicUrl.of(application) + TICKET_IMAGE_PATH.replace('{id}', id);
export const ticketPreviewUrlOf = (application: InApplication, id: string): string =>
  publicUrl.of(application) + TICKET_PREVIEW_PATH.replace('{id}', id);

import { fileBase } from '../files/file-url.ts';

/** Where the picture of a ticket is served, and its preview, in OpenAPI spelling. */
export const TICKET_IMAGE_PATH = '/v1/tickets/{id}/image/file';
export const TICKET_PREVIEW_PATH = '/v1/tickets/{id}/image/preview';

export const ticketImageUrlOf = (id: string): string => fileBase() + TICKET_IMAGE_PATH.replace('{id}', id);
export const ticketPreviewUrlOf = (id: string): string => fileBase() + TICKET_PREVIEW_PATH.replace('{id}', id);

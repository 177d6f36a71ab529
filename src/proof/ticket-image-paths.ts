/** Where the picture of a ticket is served, and its preview, in OpenAPI spelling. */
export const TICKET_IMAGE_PATH = '/v1/tickets/{id}/image/file';
export const TICKET_PREVIEW_PATH = '/v1/tickets/{id}/image/preview';

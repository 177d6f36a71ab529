import type { Request } from 'express';
import { serveStored, storedFile } from '../../files/file-endpoint.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { SIGNATURE_PATH, Signature } from './signature.entity.ts';

/** `GET /v1/signatures/{id}/image`: the image of a signature, as files are served. */
export const signatureEndpoints: readonly HttpEndpoint<{ contextFor(req: Request): Promise<Context> }>[] = [
  {
    method: 'get',
    path: SIGNATURE_PATH,
    handlers: ({ contextFor }) => [
      serveStored(contextFor, async (ctx, id) => {
        const found = await find(ctx, Signature, id);
        return { key: found.imageId, mimeType: found.imageMimeType, byteSize: found.imageSize, fileName: found.imageName };
      }),
    ],
    openapi: storedFile({
      id: 'GetSignatureImage',
      summary: 'Get signature image',
      description: 'The image of a signature. `Content-Disposition` has its name.',
      tag: 'proof',
    }),
  },
];

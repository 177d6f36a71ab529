import { type FileServices, serveStored, storedFile } from '../../files/serve-stored.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { SIGNATURE_PATH, Signature } from './signature.entity.ts';

/** `GET /v1/signatures/{id}/image`: the image of a signature, as files are served. */
export const signatureEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: SIGNATURE_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: SIGNATURE_PATH,
        entity: Signature,
        fileOf: ({ imageId: key, imageMimeType: mimeType, imageSize: byteSize, imageName: fileName }) => ({
          key,
          mimeType,
          byteSize,
          fileName,
        }),
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

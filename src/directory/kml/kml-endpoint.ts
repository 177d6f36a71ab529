import { type FileServices, serveStored, storedFile } from '../../files/serve-stored.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { KML_PATH, KmlFile } from './kml-file.entity.ts';

/** `GET /v1/kml_files/{id}/file`: a KML file as it was uploaded, as files are served. */
export const kmlEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: KML_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: KML_PATH,
        entity: KmlFile,
        fileOf: ({ id, content, fileName, discardedAt }) =>
          discardedAt
            ? undefined
            : {
                ...{ key: id, text: content, fileName },
                ...{ mimeType: 'application/vnd.google-earth.kml+xml', byteSize: Buffer.byteLength(content) },
              },
      }),
    ],
    openapi: storedFile({
      id: 'GetKmlFile',
      summary: 'Get KML file',
      description: 'A KML file as it was uploaded. `Content-Disposition` has its name.',
      tag: 'directory',
    }),
  },
];

import { fileEndpoints } from '../files/file-endpoint.ts';
import { uploadEndpoints } from '../files/upload-endpoint.ts';
import { ssoEndpoints } from '../identity/sso/login/sso-endpoints.ts';
import { metadataEndpoints } from '../identity/tokens/metadata-endpoint.ts';
import { authEndpoints } from '../identity/tokens/token-endpoint.ts';
import { ingestFileEndpoints } from '../ingest/files/file-endpoint.ts';
import { logoEndpoints } from '../partners/logo/logo-endpoints.ts';
import { figureEndpoints, healthEndpoints } from '../platform/http/health.ts';
import type { HttpEndpointDescription } from '../platform/http/http-endpoints.ts';
import { bulkDownloadEndpoints } from '../proof/downloads/bulk-download-endpoint.ts';
import { dailyExportEndpoints } from '../proof/exports/daily-export-endpoint.ts';
import { signatureEndpoints } from '../proof/signatures/signature-endpoint.ts';
import { ticketImageEndpoints } from '../proof/ticket-image-endpoint.ts';

/** Every endpoint that is no REST document, for the OpenAPI file. */
export const httpEndpoints: readonly HttpEndpointDescription[] = [
  ...healthEndpoints,
  ...figureEndpoints,
  ...authEndpoints,
  ...metadataEndpoints,
  ...ssoEndpoints,
  ...fileEndpoints,
  ...logoEndpoints,
  ...uploadEndpoints,
  ...signatureEndpoints,
  ...ticketImageEndpoints,
  ...bulkDownloadEndpoints,
  ...dailyExportEndpoints,
  ...ingestFileEndpoints,
];

import { accountingFileEndpoints } from '../billing/accounting/files/accounting-file-endpoint.ts';
import { accountingEndpoints, type SetUpServices } from '../billing/accounting/setup-endpoint.ts';
import { quoteEndpoints } from '../billing/quotes/quote-endpoint.ts';
import { settlementPdfEndpoints } from '../billing/settlements/documents/settlement-pdf-endpoint.ts';
import { kmlEndpoints } from '../directory/kml/kml-endpoint.ts';
import { feedEndpoints } from '../events/changes/feed-endpoint.ts';
import type { FeedServices } from '../events/changes/feed-services.ts';
import { fileEndpoints } from '../files/file-endpoint.ts';
import type { FileServices } from '../files/serve-stored.ts';
import { type UploadServices, uploadEndpoints } from '../files/upload-endpoint.ts';
import { type SsoServices, ssoEndpoints } from '../identity/sso/login/sso-endpoints.ts';
import { metadataEndpoints } from '../identity/tokens/metadata-endpoint.ts';
import { type AuthServices, authEndpoints } from '../identity/tokens/token-endpoint.ts';
import { type IngestFileServices, ingestFileEndpoints } from '../ingest/files/file-endpoint.ts';
import { type LogoServices, logoEndpoints } from '../partners/logo/logo-endpoints.ts';
import { figureEndpoints, healthEndpoints } from '../platform/http/health.ts';
import type { HttpEndpoint, HttpEndpointDescription } from '../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../platform/http/rest/router.ts';
import { type SmsServices, smsEndpoints } from '../platform/http/sms-endpoint.ts';
import { photoEndpoints } from '../proof/chasing/photo-endpoint.ts';
import { bulkDownloadEndpoints } from '../proof/downloads/bulk-download-endpoint.ts';
import { dailyExportEndpoints } from '../proof/exports/daily-export-endpoint.ts';
import { verifyEndpoints } from '../proof/history/verify-endpoint.ts';
import { signatureEndpoints } from '../proof/signatures/signature-endpoint.ts';
import { ticketImageEndpoints } from '../proof/ticket-image-endpoint.ts';
import { invariantEndpoints } from '../reporting/invariants/invariants-endpoint.ts';
import { reportPageEndpoints } from '../reporting/reports/page-endpoint.ts';
import { type PushServices, pushEndpoints } from '../telematics/fleets/push-endpoint.ts';

/** Everything that plain endpoints work with; each says which part of it it needs. */
export interface EndpointServices
  extends AuthServices,
    SsoServices,
    FeedServices,
    FileServices,
    UploadServices,
    IngestFileServices,
    LogoServices,
    PushServices,
    SetUpServices,
    SmsServices {
  takeTurn: TakeTurn;
}

/** The endpoints that are no REST documents. The logos' are apart, because they are found before the documents. */
export const plainEndpoints: readonly HttpEndpoint<EndpointServices>[] = [
  ...authEndpoints,
  ...metadataEndpoints,
  ...ssoEndpoints,
  ...fileEndpoints,
  ...uploadEndpoints,
  ...kmlEndpoints,
  ...signatureEndpoints,
  ...ticketImageEndpoints,
  ...verifyEndpoints,
  ...photoEndpoints,
  ...bulkDownloadEndpoints,
  ...dailyExportEndpoints,
  ...ingestFileEndpoints,
  ...accountingEndpoints,
  ...settlementPdfEndpoints,
  ...quoteEndpoints,
  ...accountingFileEndpoints,
  ...pushEndpoints,
  ...reportPageEndpoints,
  ...invariantEndpoints,
  ...feedEndpoints,
  ...smsEndpoints,
];

/** Every endpoint that is no REST document, for the OpenAPI file. */
export const httpEndpoints: readonly HttpEndpointDescription[] = [
  ...healthEndpoints,
  ...figureEndpoints,
  ...logoEndpoints,
  ...plainEndpoints,
];

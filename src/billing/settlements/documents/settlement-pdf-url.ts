import type { InApplication } from '../../../platform/application.ts';
import { publicUrl } from '../../../platform/public-url.ts';

/** Where a settlement is served as it is printed, in OpenAPI spelling. */
export const PDF_PATH = '/v1/companies/{company-id}/settlements/{id}/pdf';

export const pdfUrlOf = (application: InApplication, companyId: string, id: string): string =>
  publicUrl.of(application) + PDF_PATH.replace('{company-id}', companyId).replace('{id}', id);

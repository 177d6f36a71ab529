import type { InApplication } from '../../platform/application.ts';
import { publicUrl } from '../../platform/public-url.ts';

/** Where logos are served, in OpenAPI spelling. */
export const LOGO_PATH = '/v1/company_logos/{id}';

/** The URL of a logo. It requires no token, because pages and mails show logos to people who have none. */
export function logoUrlOf(application: InApplication, key: string | null): string | null {
  return key && publicUrl.of(application) + LOGO_PATH.replace('{id}', key);
}

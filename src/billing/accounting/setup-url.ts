import type { InApplication } from '../../platform/application.ts';
import { publicUrl } from '../../platform/public-url.ts';

/** Where a system is set up, in OpenAPI spelling. */
export const SETUP_PATH = '/accounting/setup/{token}';

export const setupUrl = (application: InApplication, token: string): string =>
  publicUrl.of(application) + SETUP_PATH.replace('{token}', token);

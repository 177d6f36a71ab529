import type { InApplication } from '../../platform/application.ts';
import { publicUrl } from '../../platform/public-url.ts';

/** Paths in OpenAPI spelling. */
export const START_PATH = '/v1/auth/sso/{id}/start';
export const CALLBACK_PATH = '/v1/auth/sso/{id}/callback';
export const METADATA_PATH = '/v1/auth/sso/{id}/metadata';
export const ACS_PATH = '/v1/auth/sso/{id}/acs';

const at = (application: InApplication, path: string, id: string) => publicUrl.of(application) + path.replace('{id}', id);

export const startUrl = (application: InApplication, id: string) => at(application, START_PATH, id);
/** One per connection, so that no provider's answer can be taken for another's (RFC 9700 section 4.4). */
export const callbackUrl = (application: InApplication, id: string) => at(application, CALLBACK_PATH, id);
export const metadataUrl = (application: InApplication, id: string) => at(application, METADATA_PATH, id);
export const acsUrl = (application: InApplication, id: string) => at(application, ACS_PATH, id);

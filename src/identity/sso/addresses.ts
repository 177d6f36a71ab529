import { identitySettings } from '../settings.ts';

/** Paths in OpenAPI spelling. */
export const START_PATH = '/v1/auth/sso/{id}/start';
export const CALLBACK_PATH = '/v1/auth/sso/{id}/callback';
export const METADATA_PATH = '/v1/auth/sso/{id}/metadata';
export const ACS_PATH = '/v1/auth/sso/{id}/acs';

const at = (path: string, id = '') => identitySettings().baseUrl + path.replace('{id}', id);

export const startUrl = (id: string) => at(START_PATH, id);
/** One per connection, so that no provider's answer can be taken for another's (RFC 9700 section 4.4). */
export const callbackUrl = (id: string) => at(CALLBACK_PATH, id);
export const metadataUrl = (id: string) => at(METADATA_PATH, id);
export const acsUrl = (id: string) => at(ACS_PATH, id);

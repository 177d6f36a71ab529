/** Where logos are served, in OpenAPI spelling. */
export const LOGO_PATH = '/v1/company_logos/{id}';

let base = '';

/** Names the address under which clients reach this server, for the URLs of logos; without a slash at its end. */
export function serveLogosAt(url: string): void {
  base = url.replace(/\/+$/, '');
}

/** The URL of a logo. It requires no token, because pages and mails show logos to people who have none. */
export function logoUrlOf(key: string | null): string | null {
  return key && base + LOGO_PATH.replace('{id}', key);
}

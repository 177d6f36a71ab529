import { expect } from '@jest/globals';
import type { TestApp } from '../../helpers/app.ts';

export interface Credentials {
  client_id: string;
  client_secret: string;
}

/** Exchanges credentials; `more` are further fields of the form. */
export async function exchange(app: TestApp, client: Credentials, more: Record<string, string> = {}) {
  const form = { grant_type: 'client_credentials', client_id: client.client_id, client_secret: client.client_secret, ...more };
  return app.http('POST', '/v1/auth/token', {
    body: new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
}
/** A token for credentials that are right. */
export const tokenFor = async (app: TestApp, client: Credentials, more = {}) => {
  const answer = await exchange(app, client, more);
  expect(answer.status).toBe(200);
  return answer.body.access_token as string;
};

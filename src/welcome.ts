import type { DemoAccess } from './demo/seed.ts';

/** What a newcomer reads when the start is done; the credentials only once, when they are made. */
export function welcome(access: DemoAccess, isNew: boolean): string {
  const admin = access.users[0];
  const lines = [
    '',
    `  Haulgate is ready: ${access.base_url}`,
    `    GraphQL   ${access.base_url}/graphql`,
    `    REST      ${access.base_url}/docs`,
  ];
  if (isNew) {
    lines.push(
      `    client    ${access.client_id}`,
      `    secret    ${access.client_secret}`,
      `    login     ${admin?.email}  ${admin?.password}  (${admin?.role})`,
      '',
      '  A first request:',
      `    TOKEN=$(curl -s ${access.base_url}/v1/auth/token -u ${access.client_id}:${access.client_secret} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      `    curl -s ${access.base_url}/v1/projects -H "Authorization: Bearer $TOKEN"`,
    );
  }
  lines.push('    (all demo credentials are in the data folder: demo.json)', '', '');
  return lines.join('\n');
}

import type { DemoAccess } from '../demo/seed.ts';

/**
 * What a newcomer reads when the start is done.
 * @param file where the credentials of the demo are kept
 * @param show also prints them, and a first request with them: to whoever sits in front of a terminal when they are made, and never into
 * what is piped, because that is kept as a log
 */
export function welcome(access: DemoAccess, file: string, show: boolean): string {
  const admin = access.users[0];
  const lines = [
    '',
    `  Haulgate is ready: ${access.base_url}`,
    `    GraphQL   ${access.base_url}/graphql`,
    `    REST      ${access.base_url}/docs`,
    `    logins    ${file} (all of the demo company; for its owner's eyes)`,
  ];
  if (show) {
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
  lines.push('', '');
  return lines.join('\n');
}

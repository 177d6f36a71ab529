import type { DemoAccess } from '../demo/seed.ts';

/**
 * Returns the text that a newcomer reads when the start is done.
 * @param file that contains the credentials of the demo
 * @param show also prints them, and a first request with them: only on a terminal and only when they were just created, never into a pipe,
 * because that is kept as a log
 */
export function welcome(access: DemoAccess, file: string, show: boolean): string {
  const admin = access.users[0];
  const lines = [
    '',
    `  Haulgate is ready: ${access.base_url}`,
    `    GraphQL   ${access.base_url}/graphql`,
    `    REST      ${access.base_url}/docs`,
    `    console   ${access.base_url}/console`,
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

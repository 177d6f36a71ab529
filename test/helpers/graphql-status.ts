const STATUSES: Record<string, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  object_not_found: 404,
  conflict: 409,
  unprocessable_content: 422,
  too_many_requests: 429,
};

/** The status that REST has for what GraphQL answered; 200 for an answer without errors, 500 for an error nobody foresaw. */
export function graphqlStatus({ errors }: { errors?: { extensions?: { code?: string } }[] }): number {
  if (!errors?.length) return 200;
  return STATUSES[errors[0]?.extensions?.code ?? ''] ?? 500;
}

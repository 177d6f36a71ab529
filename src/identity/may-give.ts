import { viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { covers } from './permissions.ts';
import type { IdentifiedViewer } from './viewer.ts';

/** Which of the grants the caller does not have, and so may neither give nor take from others. @throws Unauthenticated */
export function lacking(ctx: Context, grants: Iterable<string>): string[] {
  const viewer = viewerOf(ctx);
  if (viewer.type === 'System') return [];
  const held = (viewer as IdentifiedViewer).grants;
  return [...grants].filter((grant) => !covers(held, grant));
}

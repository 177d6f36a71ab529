import cors from 'cors';
import type { RequestHandler } from 'express';

/** Headers of answers that a script on a page of another origin may read; browsers hide all others. */
const EXPOSED = [
  'Content-Disposition',
  'Content-Language',
  // The moment from which to ask for changes (`updatedSince`).
  'Date',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Server-Timing',
  'WWW-Authenticate',
  'Warning',
  'X-Archived-Before',
  'X-Archived-Deleted',
  'X-Archived-In',
  'X-Client-Request-Id',
  'X-Feed-Position',
  'X-Read-Position',
  'X-Request-Id',
  'X-Sandbox',
];

/** Seconds for which a browser need not ask again. */
const KEPT = 600;

/**
 * Lets pages of other origins use every interface from a browser (`HAULGATE_CORS_ORIGINS`). They sign in with a token in a header, so that
 * browsers need not send cookies, and are not allowed to.
 * @param origins such as `https://board.example.com`, or `*` for all
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: KEPT,
  });
}

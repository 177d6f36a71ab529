import type { InApplication } from '../../platform/application.ts';
import { publicUrl } from '../../platform/public-url.ts';

/** Where a provider sends positions of a fleet to, in OpenAPI spelling. */
export const PUSH_PATH = '/v1/telematics/fleets/{fleet-id}/positions';

export const pushUrl = (application: InApplication, fleetId: string): string =>
  publicUrl.of(application) + PUSH_PATH.replace('{fleet-id}', fleetId);

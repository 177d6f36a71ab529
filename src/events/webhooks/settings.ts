import { provided } from '../../platform/application.ts';
import type { RemoteSettings } from '../../platform/http/remote.ts';

/** The permission to subscribe to events (DOMAIN section 2). */
export const MANAGES_WEBHOOKS = 'manage_webhooks';

/** Settings of calls to endpoints. */
export const webhookSettings = provided<Readonly<RemoteSettings>>('settings of webhooks');

/** Milliseconds that an endpoint may take for its whole answer (DOMAIN section 6). */
export const WEBHOOK_TIMEOUT = 10_000;

import type { EntityManager } from '@mikro-orm/postgresql';
import { guardedFetch } from '../../platform/http/calls/guarded-fetch.ts';
import { AddressRefused } from '../../platform/http/calls/public-addresses.ts';
import { newId } from '../../platform/ids.ts';
import { type About, describeSpan, failSpan, inSpan, traceParent } from '../../platform/tracing/spans.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
import { webhookSettings } from './settings.ts';
import { signatureHeaders } from './signatures.ts';
import { triggerIdOf } from './triggers.ts';
import { openSecrets } from './webhook-secrets.ts';

/** A delivery whose turn it is. */
export interface Sent {
  id: string;
  companyId: string;
  subscriptionId: string;
  eventId: string;
  eventTime: string | Date;
  trigger: string;
  sourceCompanyId: string;
  subjectId: string;
  /** Decimal. */
  sequence: string;
  /** JSON. */
  payload: string;
  /** JSON of a `StateChange`. */
  change: string | null;
  /** Which try it is. */
  attempt: number;
  url: string;
  sealed: string;
}

/** An attempt: the request that was sent, and its answer. */
export interface Attempt {
  id: string;
  startedAt: Date;
  durationMs: number;
  requestHeaders: Record<string, string>;
  requestBody: string;
  status?: number;
  responseHeaders?: Record<string, string>;
  /** Its first 64 KB. */
  responseBody?: string;
  error?: string;
  /** Answered with a status of success. */
  taken: boolean;
  /** The endpoint wants nothing any more (410). */
  gone: boolean;
  /** Seconds that it wants us to wait. */
  retryAfter?: number;
}

/** Bytes that are read of an answer; what follows does not matter (DOMAIN section 6). */
const MOST = 64 * 1024;
const HIDDEN = '***';

/**
 * Sends a delivery once. Whatever the endpoint does is an outcome.
 * @param stopping ends it when the process stops
 * @throws Error for what is wrong with ourselves, and when it was ended
 */
export function attemptDelivery(em: EntityManager, delivery: Sent, stopping: AbortSignal): Promise<Attempt> {
  return inSpan(
    'send webhook',
    () => aboutOf(delivery),
    () => attempt(em, delivery, stopping),
  );
}

/** The attributes of an attempt's span. Paths of endpoints are left out, because some have a key in them. */
const aboutOf = ({ id, subscriptionId, eventId, trigger, attempt, url }: Sent): About => ({
  kind: 'client',
  attributes: {
    'haulgate.webhook.delivery.id': id,
    'haulgate.webhook.subscription.id': subscriptionId,
    'haulgate.webhook.event.id': eventId,
    'haulgate.webhook.event': trigger,
    'haulgate.webhook.attempt': attempt,
    'http.request.method': 'POST',
    'server.address': URL.canParse(url) ? new URL(url).hostname : '',
  },
});

/** Whether the company has a header of this name of its own, which two would make unreadable. */
const namesTrace = (headers: Record<string, string>): boolean => Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent');

async function attempt(em: EntityManager, delivery: Sent, stopping: AbortSignal): Promise<Attempt> {
  const { privateHosts, timeout } = webhookSettings.of(em);
  const secrets = await openSecrets(em, delivery.sealed, delivery.subscriptionId);
  const startedAt = new Date();
  const requestBody = bodyOf(delivery);
  const traceparent = namesTrace(secrets.headers) ? undefined : traceParent();
  const own = {
    'Content-Type': 'application/json',
    'User-Agent': 'Haulgate-Webhooks/1',
    // So that what the endpoint does is in the same trace.
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(isSandbox(delivery.companyId) ? { 'Haulgate-Sandbox': 'true' } : {}),
    ...signatureHeaders({ id: delivery.eventId, timestamp: Math.floor(startedAt.getTime() / 1000), body: requestBody }, secrets, startedAt),
  };
  const hidden = Object.fromEntries(Object.keys(secrets.headers).map((name) => [name, HIDDEN]));
  const made = { id: newId(), startedAt, requestBody, requestHeaders: { ...hidden, ...own } };
  const begun = performance.now();
  const duration = () => ({ durationMs: Math.round(performance.now() - begun) });
  try {
    const fetch = guardedFetch({ allowPrivate: privateHosts, timeout, most: MOST, cut: true, kept: delivery.subscriptionId });
    const answer = await fetch(delivery.url, {
      method: 'POST',
      headers: { ...secrets.headers, ...own },
      body: requestBody,
      signal: stopping,
    });
    const { status, headers } = answer;
    describeSpan({ 'http.response.status_code': status });
    if (status >= 400) failSpan({ code: String(status) });
    return {
      ...{ ...made, ...duration(), status, responseHeaders: Object.fromEntries(headers) },
      // PostgreSQL has no texts with a NUL.
      responseBody: (await answer.text()).replaceAll('\0', '\uFFFD'),
      taken: status >= 200 && status < 300,
      gone: status === 410,
      retryAfter: secondsOf(headers.get('retry-after'), startedAt),
    };
  } catch (error) {
    if (stopping.aborted) throw error;
    failSpan(error);
    return { ...made, ...duration(), error: reasonOf(error), taken: false, gone: false };
  }
}

/** The envelope (DOMAIN section 6). The payload is not parsed: it is sent as it was written. */
function bodyOf(delivery: Omit<Sent, 'url' | 'sealed' | 'companyId'>): string {
  const { id, subscriptionId, eventId, eventTime, trigger, sourceCompanyId, sequence, payload, change, attempt } = delivery;
  const head = JSON.stringify({
    subscription_id: subscriptionId,
    trigger_id: triggerIdOf(subscriptionId, trigger),
    event_id: eventId,
    delivery_id: id,
    attempt,
    event_time: new Date(eventTime).toISOString(),
    event: trigger,
  });
  const meta = { company_id: sourceCompanyId, sequence: Number(sequence), ...(change ? (JSON.parse(change) as object) : {}) };
  return `${head.slice(0, -1)},"payload":${payload},"meta":${JSON.stringify(meta)}}`;
}

/** Seconds of a `Retry-After`, which is a number or a date; undefined for what is neither. */
function secondsOf(text: string | null, now: Date): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const until = Date.parse(text);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - now.getTime()) / 1000);
}

/** Characters of an error that is kept. */
const MOST_REASON = 300;

/** Why there was no answer, in words for the people of the company. */
function reasonOf(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (error instanceof AddressRefused) return `refused: ${error.message}`;
  if (name === 'TimeoutError' || name === 'AbortError') return 'no complete answer in time';
  return `not reached: ${(code ?? message ?? 'unknown error').slice(0, MOST_REASON)}`;
}

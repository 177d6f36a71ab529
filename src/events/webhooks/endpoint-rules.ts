import type { InApplication } from '../../platform/application.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { problemOfAddress } from '../../platform/http/calls/public-addresses.ts';
import { webhookSettings } from './settings.ts';
import { isTrigger, type Trigger } from './triggers.ts';

const MODEL = 'WebhookSubscription';

/** A name without its outer blanks; null for one that was not given. A blank one is reported: nobody would find the subscription by it. */
export function readName(given: string | null | undefined, items: ErrorItem[]): string | null {
  const name = given?.trim() ?? null;
  if (name === '') items.push({ model: MODEL, field: 'name', key: 'blank_name' });
  return name;
}

/** Collects what is wrong with the address of an endpoint. */
export function checkUrl(application: InApplication, url: string, items: ErrorItem[]): void {
  const key = problemOfAddress(url, webhookSettings.of(application).privateHosts);
  if (key) items.push({ model: MODEL, field: 'url', key });
}

/** The triggers that were named, once each; others are reported. */
export function readTriggers(given: readonly string[] | null, items: ErrorItem[]): Trigger[] {
  if (!given?.length) items.push({ model: MODEL, field: 'triggers', key: 'at_least_one_trigger' });
  for (const [at, name] of (given ?? []).entries())
    if (!isTrigger(name)) items.push({ model: MODEL, field: `triggers.${at}`, key: 'unknown_trigger' });
  return [...new Set(given ?? [])].filter(isTrigger);
}

/** Headers of the connection (RFC 9110, 7.6.1), and those that say what the body is or where it goes. */
const KEPT = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'host', 'content-length', 'content-type', 'content-encoding', 'expect', 'user-agent'],
]);
/** Headers by which receivers know us, and whether it happened (`Haulgate-Sandbox`). */
const OURS = /^(webhook-|svix-|(x-)?haulgate-)/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The headers that were given, by name; what may not be sent is reported. */
export function readHeaders(given: readonly { name: string; value: string }[], items: ErrorItem[]): Record<string, string> {
  const headers = new Map<string, string>();
  const seen = new Set<string>();
  for (const [at, { name, value }] of given.entries()) {
    const problem = (field: string, key: string) => items.push({ model: MODEL, field: `headers.${at}.${field}`, key });
    const folded = name.toLowerCase();
    if (!NAME.test(name) || KEPT.has(folded) || OURS.test(folded)) problem('name', 'no_header_name');
    else if (seen.has(folded)) problem('name', 'header_named_twice');
    if (!/^[\x20-\x7e\t]*$/.test(value)) problem('value', 'no_header_value');
    seen.add(folded);
    headers.set(name, value);
  }
  // An object would take `__proto__`, which is the name of a header, for something else.
  return Object.fromEntries(headers);
}

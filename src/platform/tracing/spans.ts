import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Span } from '@opentelemetry/api';
import { perApplication } from '../application.ts';

/** The attributes of a span: ids, names of ours, numbers and times, and never anything that somebody wrote. */
export interface About {
  kind?: 'server' | 'client' | 'consumer';
  attributes?: Attributes;
}

/** Where work comes from that has no span around it: a request of a client, or a row that a request has left. */
export interface Origin {
  requestId?: string;
  companyId?: string;
  /** Of the span that asked for it, as W3C writes it. */
  traceParent?: string | null;
  /** The same of several, none of which the work is part of. */
  links?: readonly string[];
}

/** Makes spans and sends them to a collector (`openTracing`). */
export interface Tracing {
  /** @param parent the span around it: one of this process, or `traceparent` of another one's; without one, a new trace begins */
  begin(name: string, about: About, parent?: Span | string | null, links?: readonly string[]): Span;
  /** Sends what has ended, and lets go of the collector. Never fails. */
  close(): Promise<void>;
}

/** The tracing of an application. Without it, nothing is traced. */
export const tracing = perApplication<Tracing | undefined>('tracing', () => undefined);

/** The span of the running code. */
interface Active {
  tracing: Tracing;
  span: Span;
  /** The company and person whose work it is: attributes of each of its spans from when they are known. */
  whose: Attributes;
  /** The first span of this process, and of the work. */
  first: Span;
}

const actives = new AsyncLocalStorage<Active>();
/** Tracings that are open. While there is none, code that could be traced asks for nothing else. */
let open = 0;

/** Notes that a tracing is open. @returns notes its end */
export function countTracing(): () => void {
  open++;
  return () => void open--;
}

/** Why something failed, which may name what somebody wrote, stays in the log: here is only what kind of error it was. */
export function fail(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  span.setAttribute('error.type', typeof code === 'string' ? code : String(name ?? 'Error'));
  span.setStatus({ code: ERROR });
}
/** `SpanStatusCode.ERROR`, without loading the library for it. */
const ERROR = 2;

/** The work of the running code, if its spans are sent: of a trace that is not among those the sampler chose, there is nothing more to say. */
function recorded(): Active | undefined {
  const active = open > 0 ? actives.getStore() : undefined;
  return active?.span.isRecording() ? active : undefined;
}

/** Whether the running code is part of work whose spans are sent. */
export const isTraced = (): boolean => recorded() !== undefined;

/** Runs `work` in a span of its own, if it is part of work that is traced. */
export function inSpan<T>(name: string, about: () => About, work: () => T): T {
  const active = recorded();
  if (!active) return work();
  const span = beginIn(active, name, about());
  return actives.run({ ...active, span }, () => until(span, work));
}

/** Begins a span that is part of the running work; undefined if that is not traced. Whoever begins it ends it. */
export function beginSpan(name: string, about: About): Span | undefined {
  const active = recorded();
  return active && beginIn(active, name, about);
}

const beginIn = ({ tracing, span, whose }: Active, name: string, { kind, attributes }: About): Span =>
  tracing.begin(name, { kind, attributes: { ...whose, ...attributes } }, span);

/** Runs the work of a task, which is part of no other work of this process, in a span of its own. */
export function inTask<T>(how: Tracing | undefined, name: string, from: Origin, about: () => About, work: () => T): T {
  if (!how) return work();
  const whose: Attributes = { ...requestOf(from.requestId), ...companyOf(from.companyId) };
  const { kind = 'consumer', attributes } = about();
  const span = how.begin(name, { kind, attributes: { ...whose, ...attributes } }, from.traceParent, from.links);
  return actives.run({ tracing: how, span, whose, first: span }, () => until(span, work));
}

/** Runs what answers a request in a span, which is ended when the answer is out. @returns the span */
export function inRequestSpan(how: Tracing, name: string, attributes: Attributes, from: Origin, run: () => void): Span {
  const whose = requestOf(from.requestId);
  const span = how.begin(name, { kind: 'server', attributes: { ...whose, ...attributes } }, from.traceParent);
  actives.run({ tracing: how, span, whose, first: span }, run);
  return span;
}

/** The one who asks for something. */
type Asker = { companyId: string; type: string; id: string; realActor?: { id: string } };

/** Says whose the running work is, now that it is known. */
export function nameAsker({ companyId, type, id, realActor }: Asker): void {
  const active = recorded();
  if (!active) return;
  const known = { ...companyOf(companyId), 'haulgate.principal.type': type, 'haulgate.principal.id': id, ...actorOf(realActor?.id) };
  Object.assign(active.whose, known);
  active.first.setAttributes(known);
  if (active.span !== active.first) active.span.setAttributes(known);
}

const requestOf = (id: string | undefined): Attributes => (id === undefined ? {} : { 'haulgate.request.id': id });
const companyOf = (id: string | undefined): Attributes => (id === undefined ? {} : { 'haulgate.company.id': id });
/** Somebody who acts as another person. */
const actorOf = (id: string | undefined): Attributes => (id === undefined ? {} : { 'haulgate.actor.id': id });

/** Says that the running work failed, also where that is dealt with. */
export function failSpan(error: unknown): void {
  const active = recorded();
  if (active) fail(active.span, error);
}

/** Adds to what the span of the running code is about. */
export function describeSpan(attributes: Attributes): void {
  recorded()?.span.setAttributes(attributes);
}

/**
 * The span of the running code as W3C writes it (`traceparent`), for what goes on elsewhere: in a worker, or at somebody's endpoint. Undefined if it
 * is not traced.
 */
export function traceParent(): string | undefined {
  const active = open > 0 ? actives.getStore() : undefined;
  if (!active) return undefined;
  const { traceId, spanId, traceFlags } = active.span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}

/** Ends the span with the work. */
function until<T>(span: Span, work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    fail(span, error);
    span.end();
    throw error;
  }
  if (!isPromise(result)) {
    span.end();
    return result;
  }
  return result.then(
    (value) => {
      span.end();
      return value;
    },
    (error: unknown) => {
      fail(span, error);
      span.end();
      throw error;
    },
  ) as T;
}

const isPromise = (value: unknown): value is Promise<unknown> => typeof (value as { then?: unknown } | undefined)?.then === 'function';

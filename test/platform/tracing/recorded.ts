import type { Attributes, Span } from '@opentelemetry/api';
import { countTracing, type Tracing } from '../../../src/platform/tracing/spans.ts';

/** Keeps the attributes of spans in place of sending them. */
export function recorded(): { tracing: Tracing; spans: Attributes[] } {
  const spans: Attributes[] = [];
  const end = countTracing();
  const begin = (_name: string, { attributes }: { attributes?: Attributes }): Span => {
    const own: Attributes = { ...attributes };
    spans.push(own);
    const span: Partial<Span> = {
      isRecording: () => true,
      setAttribute: (name, value) => Object.assign(own, { [name]: value }) as never,
      setAttributes: (more) => Object.assign(own, more) as never,
      setStatus: () => span as Span,
      updateName: () => span as Span,
      end: () => undefined,
      spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 1 }),
    };
    return span as Span;
  };
  return { tracing: { begin, close: async () => end() }, spans };
}

import type { Context, Link, Span, SpanContext } from '@opentelemetry/api';
import type { BatchSpanProcessorOptions, Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import { type About, countTracing, type Tracing } from './spans.ts';

/** The samplers of OpenTelemetry's variable `OTEL_TRACES_SAMPLER` that need no service of their own. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingOptions {
  /** Where spans are sent, with its path; by default where OpenTelemetry's variables say. */
  url?: string;
  /** Milliseconds that the collector may take for a batch; by default what OpenTelemetry's variables say. */
  timeout?: number;
  sampler: (typeof SAMPLERS)[number];
  /** The share of traces that are sent, from 0 to 1, of the samplers with a ratio. */
  ratio: number;
  /** Of what is sent at a time; as in OpenTelemetry by default. */
  batches?: Pick<BatchSpanProcessorOptions, 'maxExportBatchSize' | 'maxQueueSize' | 'scheduledDelayMillis' | 'exportTimeoutMillis'>;
  version: string;
  /** Called when the collector takes spans no more, and when it takes them again. */
  report(state: 'lost' | 'back', error?: unknown): void;
}

const SERVICE = 'haulgate';
/** Milliseconds that a process which stops waits for the collector. */
const PATIENCE = 2_000;
const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Opens what makes and sends spans. OpenTelemetry is loaded here and nowhere else, so that a process without traces is spared it. Nothing of it is
 * global: two applications of a process have a tracing each, or none.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes, defaultResource }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { ROOT_CONTEXT, SpanKind, TraceFlags, trace } = api;
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
  const exporter = reporting(new OTLPTraceExporter({ url: options.url, timeoutMillis: options.timeout }), options.report);
  const own = resourceFromAttributes({
    'service.name': SERVICE,
    'service.version': options.version,
    'process.pid': process.pid,
  });
  const provider = new sdk.TracerProvider({
    // Settings of the environment come last, and win.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sdk, options),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...options.batches })],
  });
  const tracer = provider.getTracer(SERVICE, options.version);
  const contextOf = (parent: Span | string | null | undefined): Context => {
    if (typeof parent === 'object' && parent !== null) return trace.setSpan(ROOT_CONTEXT, parent);
    const remote = parseParent(parent, TraceFlags.SAMPLED);
    return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  };
  const end = countTracing();
  return {
    begin(name, { kind, attributes }: About, parent, links = []) {
      const linked = links.flatMap((one): Link[] => {
        const context = parseParent(one, TraceFlags.SAMPLED);
        return context ? [{ context }] : [];
      });
      return tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes, links: linked }, contextOf(parent));
    },
    async close() {
      end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE);
      });
      // Spans that a collector does not take by then are lost; `report` has said so.
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

/** Sends no spans to the collector that OpenTelemetry's variables name. @throws Error when it does not take them within so many milliseconds */
export async function reachCollector(timeout: number): Promise<void> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ timeoutMillis: timeout });
  try {
    await new Promise<void>((done, refused) => exporter.export([], ({ code, error }) => (code === 0 ? done() : refused(error))));
  } finally {
    await exporter.shutdown();
  }
}

function samplerOf(sdk: typeof import('@opentelemetry/sdk-trace'), { sampler, ratio }: TracingOptions): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_on'
      ? new sdk.AlwaysOnSampler()
      : name === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.TraceIdRatioBasedSampler(ratio);
  return sampler === name ? root : new sdk.ParentBasedSampler({ root });
}

/** Reads a `traceparent`; undefined for what is none (W3C Trace Context, 3.2). */
function parseParent(text: string | null | undefined, sampled: number): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampled, isRemote: true };
}

/** Reports once that spans are not taken, and once that they are again. */
function reporting(exporter: SpanExporter, report: TracingOptions['report']): SpanExporter {
  let lost = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed !== lost) {
          lost = failed;
          report(failed ? 'lost' : 'back', result.error);
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

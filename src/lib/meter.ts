import type { Counter, Gauge } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

/** The metrics of a process in the text format of Prometheus. */
export type MetricsPage = { readonly contentType: string; text(): Promise<string> }

/** Creates instruments, and the page with all of them. */
export type Meter = {
  /** Exported as `<name>_total`; if it has no labels, from the start. */
  readonly counter: (name: string, description: string, labelled?: 'labelled') => Counter
  readonly gauge: (name: string, description: string) => Gauge
  /** A gauge whose value is read whenever the page is. */
  readonly watch: (name: string, description: string, read: () => number) => void
  readonly page: MetricsPage
}

export function createMeter(): Meter {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  const meter = provider.getMeter('headrace')
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true)
  return {
    counter(name, description, labelled) {
      const counter = meter.createCounter(name, { description })
      if (labelled === undefined) counter.add(0)
      return counter
    },
    gauge: (name, description) => meter.createGauge(name, { description }),
    watch(name, description, read) {
      const watched = meter.createObservableGauge(name, { description })
      watched.addCallback((result) => result.observe(read()))
    },
    page: {
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      async text() {
        const { resourceMetrics, errors } = await exporter.collect()
        if (errors.length > 0) throw new AggregateError(errors, 'metrics could not be collected')
        return serializer.serialize(resourceMetrics)
      },
    },
  }
}

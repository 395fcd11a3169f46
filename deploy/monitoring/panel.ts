/** A panel of a dashboard. Its queries use Grafana's `$__rate_interval`. */
export type Panel = {
  readonly title: string
  /** What an operator should see in it. */
  readonly description: string
  /** A unit of Grafana; default: plain numbers. */
  readonly unit?: 's' | 'reqps' | 'percentunit' | 'bytes' | 'cps'
  /** A figure instead of a curve; red from this value on, or below it. */
  readonly figure?: { readonly redFrom: number } | { readonly redBelow: number }
  /** Each is a query, and how Grafana names its curves. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

import type { Panel, Row } from './panel.ts'
import { PAYMENTS } from './payment-panels.ts'

const API = 'job="headrace-api"'

function quantileOf(share: number, histogram: string): string {
  const rate = `rate(headrace_${histogram}_seconds_bucket[$__rate_interval])`
  return `histogram_quantile(${share}, sum by (model, le) (${rate}))`
}

/** Median and 95th percentile by model. */
function latency(title: string, histogram: string, description: string): Panel {
  const queries = [
    [quantileOf(0.5, histogram), '{{model}} p50'],
    [quantileOf(0.95, histogram), '{{model}} p95'],
  ] as const
  return { title, description, unit: 's', queries }
}

const HEALTH: Row = {
  title: 'Health',
  panels: [
    {
      title: 'api processes ready',
      description: 'Red: none is ready, and clients get 503 or no response.',
      figure: { redBelow: 1 },
      queries: [[`sum(headrace_ready{${API}})`, 'ready']],
    },
    {
      title: 'Workers ready',
      description: 'Red: usage records wait in Valkey.',
      figure: { redBelow: 1 },
      queries: [['sum(headrace_ready{job="headrace-worker"})', 'ready']],
    },
    {
      title: 'Failed requests, last hour',
      description: 'Red: above the share that pages. The objective is 0.1 % over 30 days.',
      unit: 'percentunit',
      figure: { redFrom: 0.0144 },
      queries: [['headrace:errors:ratio_rate1h', 'failed']],
    },
    {
      title: 'Posting lag',
      description: 'Age of the oldest usage record that waits. Red: above the objective of 60 s.',
      unit: 's',
      figure: { redFrom: 60 },
      queries: [['max(headrace_usage_lag_seconds)', 'lag']],
    },
    {
      title: 'Usage difference',
      description: 'Between usage records and usage log. It is 0.',
      figure: { redFrom: 1 },
      queries: [['max(abs(headrace_reconciliation_difference{source="usage_log"}))', 'difference']],
    },
    {
      title: 'Configurations in use',
      description: 'Red: processes run different configurations.',
      figure: { redFrom: 2 },
      queries: [
        ['max(count by (job) (count by (job, hash) (headrace_config_info)))', 'configurations'],
      ],
    },
  ],
}

const TRAFFIC: Row = {
  title: 'Traffic',
  panels: [
    {
      title: 'Requests by status',
      description: 'Responses of the api, also refused ones.',
      unit: 'reqps',
      queries: [
        [`sum by (status) (rate(headrace_requests_total{${API}}[$__rate_interval]))`, '{{status}}'],
      ],
    },
    {
      title: 'Streams not completed',
      description: 'failed: ended with an error event. broken: mostly clients that left.',
      unit: 'reqps',
      queries: [
        [
          'sum by (ended) (rate(headrace_requests_total{job="headrace-api",ended!="whole"}' +
            '[$__rate_interval]))',
          '{{ended}}',
        ],
      ],
    },
    {
      title: 'Errors by code',
      description: 'Requests that were answered with an error.',
      unit: 'reqps',
      queries: [
        [
          'sum by (code) (rate(headrace_refusals_total[$__rate_interval])) > 0 ' +
            'or sum(rate(headrace_refusals_total[$__rate_interval]))',
          '{{code}}',
        ],
      ],
    },
    {
      title: 'Tokens per second',
      description: 'Of settled generations. cached is part of input, reasoning part of output.',
      unit: 'cps',
      queries: [
        [
          'sum by (model, kind) (rate(headrace_tokens_total[$__rate_interval]))',
          '{{model}} {{kind}}',
        ],
      ],
    },
    {
      title: 'Generations per second',
      description: 'Generations that got a slot of an engine.',
      unit: 'cps',
      queries: [
        ['sum by (model) (rate(headrace_generations_total[$__rate_interval]))', '{{model}}'],
      ],
    },
    {
      title: 'Event loop busy',
      description: 'A process uses one core. Above 80 % for long: run more processes.',
      unit: 'percentunit',
      queries: [['headrace_event_loop_busy_ratio', '{{job}} {{instance}}']],
    },
  ],
}

const LATENCY: Row = {
  title: 'Latency',
  panels: [
    latency(
      'Time to first token',
      'time_to_first_token',
      'From admission to the first output, waiting for a slot included.',
    ),
    latency('Waiting for a slot', 'queue', 'Rises when all slots of a model are taken.'),
    latency('Duration of generations', 'generation', 'From the slot to the end.'),
  ],
}

const ENGINES: Row = {
  title: 'Engines',
  panels: [
    {
      title: 'Slots in use',
      description: 'Share of the slots of an engine, of all api processes.',
      unit: 'percentunit',
      queries: [
        [
          'sum by (engine) (headrace_engine_slots_in_use) ' +
            '/ max by (engine) (headrace_engine_capacity)',
          '{{engine}}',
        ],
      ],
    },
    {
      title: 'Processes that use the engine',
      description: 'Share of api processes that have not ejected it.',
      unit: 'percentunit',
      queries: [['avg by (engine) (headrace_engine_healthy)', '{{engine}}']],
    },
    {
      title: 'Waiting inside engines',
      description: 'Requests that an engine was sent and has not begun. It should be 0.',
      queries: [['max by (engine) (headrace_engine_waiting_inside)', '{{engine}}']],
    },
    {
      title: 'Requests that wait, by model',
      description: 'In the queues of all api processes.',
      queries: [['sum by (model) (headrace_pool_waiting)', '{{model}}']],
    },
    {
      title: 'Healthy engines of a model',
      description: 'In the process that has fewest.',
      queries: [['min by (model) (headrace_model_engines_healthy)', '{{model}}']],
    },
    {
      title: 'Engine errors by kind',
      description: 'Generations that failed on an engine, retried or not.',
      unit: 'cps',
      queries: [
        [
          'sum by (engine, kind) (rate(headrace_engine_errors_total[$__rate_interval]))',
          '{{engine}} {{kind}}',
        ],
      ],
    },
    {
      title: 'Ejections per hour',
      description: 'An engine that is ejected again and again is unstable.',
      queries: [['sum by (engine) (increase(headrace_engine_ejections_total[1h]))', '{{engine}}']],
    },
    {
      title: 'Request bodies in memory',
      description: 'Near api.body_budget_bytes requests are refused with 503.',
      unit: 'bytes',
      queries: [['headrace_body_bytes', '{{instance}}']],
    },
  ],
}

const USAGE: Row = {
  title: 'Usage and ledger',
  panels: [
    {
      title: 'Records waiting',
      description: 'backlog: settled and not posted. open: requests in progress.',
      queries: [
        ['max(headrace_usage_backlog_records)', 'backlog'],
        ['max(headrace_open_records)', 'open'],
      ],
    },
    {
      title: 'Records posted per second',
      description: 'Written to PostgreSQL by all workers.',
      unit: 'cps',
      queries: [['sum(rate(headrace_usage_posted_total[$__rate_interval]))', 'posted']],
    },
    {
      title: 'Records per hour that need attention',
      description: 'Each of them has an alert and a section in the runbook.',
      queries: [
        ['sum(increase(headrace_usage_rejected_total[1h]))', 'rejected'],
        ['sum(increase(headrace_usage_lost_total[1h]))', 'lost'],
        ['sum(increase(headrace_usage_closed_total[1h]))', 'closed'],
        ['sum(increase(headrace_usage_unacknowledged_records_total[1h]))', 'unacknowledged'],
        ['sum(increase(headrace_content_dropped_records_total[1h]))', 'content dropped'],
      ],
    },
    {
      title: 'Reconciliation differences',
      description: 'usage_log must be 0. engine is 0 below 1 % of its tokens.',
      queries: [
        ['max by (source, name) (headrace_reconciliation_difference)', '{{source}} {{name}}'],
      ],
    },
    {
      title: 'Job errors per second',
      description: 'Failed runs of jobs, which are retried.',
      unit: 'cps',
      queries: [['sum by (task) (rate(headrace_job_errors_total[$__rate_interval]))', '{{task}}']],
    },
    {
      title: 'Leaders',
      description: 'One worker reconciles for all.',
      queries: [['sum(headrace_worker_leader)', 'leaders']],
    },
  ],
}

export const ROWS: readonly Row[] = [HEALTH, TRAFFIC, LATENCY, ENGINES, USAGE, PAYMENTS]

// The settings of usage records, the worker, the ledger and content retention.
import { Type } from 'typebox'
import {
  DAYS_MAX,
  SECONDS_MAX,
  characters,
  integer,
  mapping,
  number,
  text,
} from './schema-nodes.ts'

const REPLICAS_MAX = 10
/** As long as the sums of the usage log are kept, which tell what is missing. */
const KEEP_POSTED_HOURS_MAX = 72

export const Usage = mapping(
  {
    acknowledged_replicas: integer(
      0,
      REPLICAS_MAX,
      'Valkey replicas that must acknowledge a usage record before the response ends.',
      0,
    ),
    keep_posted_hours: integer(
      0,
      KEEP_POSTED_HOURS_MAX,
      'Hours that posted usage records stay in Valkey, so that `headrace recover` can post them ' +
        'again after PostgreSQL was restored. Memory: about 0.7 KB × records per hour × hours.',
      0,
    ),
  },
  'Durability of usage records.',
  {},
)

export const Worker = mapping(
  {
    health_port: integer(
      0,
      65_535,
      'Port of health checks and metrics. 0 picks a free port.',
      9091,
    ),
    lease_seconds: number(
      1,
      SECONDS_MAX,
      30,
      'Heartbeat timeout, after which the requests of a process are closed (interval: 5 s).',
    ),
    reconcile_seconds: number(1, SECONDS_MAX, 3600, 'Interval between reconciliations.'),
  },
  'Settings of `headrace worker`.',
  {},
)

/** Late records and the reconciliation of a month must find what they change. */
const LEDGER_DAYS_MIN = 35

/** One for reads of unknown callers, one for the rest. */
const CONNECTIONS_MIN = 2
const CONNECTIONS_MAX = 1_000
const CONNECTIONS = 10

export const Database = mapping(
  {
    connections: integer(
      CONNECTIONS_MIN,
      CONNECTIONS_MAX,
      'Connections to PostgreSQL that an `api` or `console` process may open.',
      CONNECTIONS,
    ),
  },
  'How PostgreSQL is used.',
  {},
)

export const Ledger = mapping(
  {
    records_days: Type.Optional(
      integer(
        LEDGER_DAYS_MIN,
        DAYS_MAX,
        'Days that usage records are kept, and costs per hour as whole months (default: for ever).',
      ),
    ),
  },
  'How long usage is kept in PostgreSQL. Balances do not depend on it.',
  {},
)

export const Retention = mapping(
  {
    standard_days: integer(
      1,
      DAYS_MAX,
      'Retention period of content under `standard`, in days.',
      30,
    ),
    contributor_days: integer(
      1,
      DAYS_MAX,
      'Retention period of content under `contributor`, in days.',
      365,
    ),
    contributor_terms: Type.Optional(
      mapping(
        {
          version: characters(100, 'Version of the terms.'),
          url: text('https?://[^\\s?#@]+', 2048, 'an http or https URL without credentials', {
            description: 'Address of the text.',
          }),
        },
        'Terms that owners of organizations accept for `contributor`; without them they cannot.',
      ),
    ),
  },
  'Retention of content, for organizations that agreed to it.',
  {},
)

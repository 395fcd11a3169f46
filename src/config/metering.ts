// How use is written down, posted to the ledger and kept: the parts of the schema beside the API.
import { Type } from 'typebox'
import { DAYS_MAX, SECONDS_MAX, integer, mapping, number } from './schema-nodes.ts'

const REPLICAS_MAX = 10
const BYTES_MAX = 2 ** 40

export const Usage = mapping(
  {
    acknowledged_replicas: integer(
      0,
      REPLICAS_MAX,
      'Replicas of Valkey that must have a usage record before the client sees the end.',
      0,
    ),
    acknowledged_aof: Type.Boolean({
      description: "A usage record must be on the disk of Valkey's server first, too.",
      expected: 'true or false',
      default: false,
    }),
  },
  'How safely use is written down before a request ends.',
  {},
)

export const Worker = mapping(
  {
    health_port: integer(0, 65_535, 'Port of health checks and metrics. 0 takes any free.', 9091),
    poll_seconds: number(0.01, 60, 0.2, 'How often it looks for usage records to post.'),
    batch_records: integer(1, 100_000, 'Most usage records of one transaction.', 5000),
    lease_seconds: number(
      1,
      SECONDS_MAX,
      30,
      'Silence after which the requests of a process are closed; it speaks every 5 s.',
    ),
    reconcile_seconds: number(1, SECONDS_MAX, 3600, 'How often the ledger is compared.'),
    partitions_ahead_days: integer(1, 366, 'Days that partitions are made in advance for.', 7),
  },
  '`headrace worker`, which posts use to the ledger.',
  {},
)

export const Retention = mapping(
  {
    standard_days: integer(1, DAYS_MAX, 'Days that content is kept under `standard`.', 30),
    contributor_days: integer(1, DAYS_MAX, 'Days that content is kept as a contribution.', 365),
    queue_bytes_max: integer(
      0,
      BYTES_MAX,
      'Most content that waits to be stored in one process; what is beyond is not kept.',
      67_108_864,
    ),
  },
  'How long content is kept where an organization agreed to it.',
  {},
)

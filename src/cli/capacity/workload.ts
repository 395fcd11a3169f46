/** What a deployment has to carry, and what its machines are like. */
export type Workload = {
  /** Open at the same time. */
  readonly streams: number
  /** Of each stream. */
  readonly tokensPerSecond: number
  readonly requestsPerSecond: number
  readonly promptBytes: number
  /** From the end of a body to the first token, while the body is in memory. */
  readonly firstTokenSeconds: number
  readonly organizations: number
  /** Percent of all requests. */
  readonly largestOrganization: number
  readonly keys: number
  /** Used within an hour. */
  readonly activeKeys: number
  /** Of a day and night, in percent of the load above. */
  readonly averageLoad: number
  readonly retentionDays: number
  /** Of PostgreSQL or the workers, while records wait in Valkey. */
  readonly outageMinutes: number
  readonly slotsPerEngine: number
  readonly coresPerMachine: number
  readonly processMib: number
  readonly shardGib: number
  readonly replicasPerShard: number
  readonly postgresCores: number
  readonly postgresConnections: number
  /** `database.connections`: of each api process. */
  readonly apiConnections: number
  readonly postgresGib: number
  /** Percent of a core or of memory that may be used. */
  readonly busy: number
}

/** The rest is assumed, or follows from these. */
export type Given = Partial<Workload> & Pick<Workload, 'streams' | 'tokensPerSecond'>

const REPLY_TOKENS = 500
const STREAMS_PER_ORGANIZATION = 4
const KEYS_PER_ORGANIZATION = 4
const ACTIVE_SHARE = 0.1

const ASSUMED = {
  promptBytes: 4_096,
  firstTokenSeconds: 1,
  largestOrganization: 10,
  averageLoad: 50,
  retentionDays: 90,
  outageMinutes: 60,
  slotsPerEngine: 256,
  coresPerMachine: 8,
  processMib: 2_048,
  shardGib: 8,
  replicasPerShard: 1,
  postgresCores: 16,
  postgresConnections: 1_000,
  apiConnections: 10,
  postgresGib: 4_096,
  busy: 60,
} as const

export function assumeWorkload(given: Given): Workload {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const { streams, tokensPerSecond } = given
  const organizations = given.organizations ?? Math.ceil(streams / STREAMS_PER_ORGANIZATION)
  const keys = given.keys ?? organizations * KEYS_PER_ORGANIZATION
  return {
    ...ASSUMED,
    requestsPerSecond: (streams * tokensPerSecond) / REPLY_TOKENS,
    organizations,
    keys,
    activeKeys: Math.ceil(keys * ACTIVE_SHARE),
    ...(known as Given),
  }
}

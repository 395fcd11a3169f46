// What organizations, keys, requests and records take of real servers is what capacity assumes.
// covers: src/cli/capacity/** src/store/**
import { UNIT_COSTS } from '../../src/cli/capacity/unit-costs.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { measureApi } from './unit-costs/api.ts'
import { measurePostgres } from './unit-costs/postgres.ts'
import { measureValkey } from './unit-costs/valkey.ts'

const REQUESTS = 10_000
const ORGANIZATIONS = 2_000
const RECORDS = 20_000
/** Of each size; none in the short form, which does not judge processor time. */
const PROMPTS = 400
/** Bytes hardly depend on the machine: more than this is another table, key or event. */
const FACTOR_MAX = 1.5

type Name = keyof typeof UNIT_COSTS
type Measured = Partial<Record<Name, number>>

/** Prints each figure beside that of the calculator, and judges bytes. */
function compare(run: ProofRun, measured: Measured, isJudged: boolean): void {
  for (const [name, value] of Object.entries(measured)) {
    const { value: expected, unit, what } = UNIT_COSTS[name as Name]
    console.log(`${what}: ${value.toFixed(1)} ${unit}, ${expected} in the calculator`)
    const factor = value / expected
    if (isJudged && !(factor <= FACTOR_MAX && factor >= 1 / FACTOR_MAX))
      run.fail(`${name}: ${value.toFixed(1)} ${unit} instead of ${expected}`)
  }
}

await runProof('unit-costs', async (run) => {
  const valkey = await measureValkey(REQUESTS)
  const api = await measureApi(run.short ? 0 : PROMPTS)
  const postgres = await measurePostgres(ORGANIZATIONS, RECORDS)
  const bytes: Measured = {
    organizationMemory: valkey.organizationBytes,
    limitedKeyMemory: valkey.limitedKeyBytes,
    openMemory: valkey.openRecordBytes,
    waitingMemory: valkey.waitingRecordBytes,
    valkeyRequestBytes: valkey.requestWireBytes,
    checkpointBytes: valkey.checkpointWireBytes,
    clientEventBytes: api.clientEventBytes,
    clientRequestBytes: api.clientRequestBytes,
    engineEventBytes: api.engineEventBytes,
    organizationDisk: postgres.organizationBytes,
    keyDisk: postgres.keyBytes,
    recordDisk: postgres.recordBytes,
    rollUpDisk: postgres.rollUpBytes,
  }
  compare(run, bytes, true)
  const others: Measured = {
    processMemory: api.processMib,
    ...(api.promptKibMicros === undefined ? {} : { promptCpu: api.promptKibMicros }),
    checkpointCallCpu: valkey.checkpointCallMicros,
    checkpointCpu: valkey.checkpointMicros,
    postingCpu: postgres.postMicros,
    lookupCpu: postgres.lookupMicros,
  }
  compare(run, others, false)
  return {
    requests: REQUESTS,
    organizations: ORGANIZATIONS,
    records: RECORDS,
    figures: Object.keys(bytes).length,
    organization_valkey: valkey.organizationBytes.toFixed(0),
    waiting_record: valkey.waitingRecordBytes.toFixed(0),
    posted_record: postgres.recordBytes.toFixed(0),
    event: api.clientEventBytes.toFixed(0),
  }
})

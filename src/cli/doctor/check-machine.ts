import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import type { Config } from '../../config/load.ts'
import { slotsOf } from '../../config/slots.ts'
import { CLIENT_CONNECTIONS_MAX } from '../../start/client-connections.ts'
import {
  notChecked,
  ok,
  runChecks,
  warning,
  type Check,
  type Result,
  type Time,
} from './run-checks.ts'

/** Files besides those of clients and generations: stores, listeners, the program itself. */
const OTHER_FILES = 128
const MIB = 2 ** 20
/** What a process takes without requests. */
const BASE_BYTES = 200 * MIB
/** See docs/operating/scaling.md. */
const BYTES_PER_BODY_BYTE = 2
const BODIES_PARSED = 8

export function checkMachine(config: Config, time: Time): Promise<Result[]> {
  return runChecks({ group: 'machine' }, config, CHECKS, time)
}

/** The soft limit, which applies to this shell; undefined outside of Linux. */
function limitOf(name: string): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const line = limits.split('\n').find((each) => each.startsWith(name)) ?? ''
    const [value] = line.slice(name.length).trim().split(' ')
    return value === 'unlimited' ? Infinity : Number(value)
  } catch {
    return undefined
  }
}

const openFiles: Check<Config> = {
  name: 'open files',
  run({ engines }) {
    const limit = limitOf('Max open files')
    if (limit === undefined) return notChecked('the limit cannot be read')
    const slots = engines.reduce((sum, engine) => sum + slotsOf(engine), 0)
    const needed = CLIENT_CONNECTIONS_MAX + slots + OTHER_FILES
    return limit >= needed
      ? ok(`${limit}, at most ${needed} are needed`)
      : warning(`${limit}, up to ${needed} are needed`, 'Raise ulimit -n (LimitNOFILE).')
  },
}

const coreDumps: Check<Config> = {
  name: 'core dumps',
  run() {
    const limit = limitOf('Max core file size')
    if (limit === undefined) return notChecked('the limit cannot be read')
    return limit === 0
      ? ok('off')
      : warning('on', 'Set ulimit -c 0 (LimitCORE=0): a core file would contain content.')
  },
}

const memory: Check<Config> = {
  name: 'memory',
  run({ api }) {
    const limit = process.constrainedMemory()
    const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
    const needed =
      BASE_BYTES + api.body_budget_bytes * BYTES_PER_BODY_BYTE + api.body_bytes_max * BODIES_PARSED
    const found = `${toMib(available)} MiB, ${availableParallelism()} CPUs`
    return available >= needed
      ? ok(found)
      : warning(found, `Lower api.body_budget_bytes: an api process may take ${toMib(needed)} MiB.`)
  },
}

function toMib(bytes: number): string {
  return Math.round(bytes / MIB).toString()
}

const CHECKS = [openFiles, coreDumps, memory]

import { setTimeout as pause } from 'node:timers/promises'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { OperatorError } from '../../lib/operator-error.ts'
import { jsonOption, type JsonOption } from '../options.ts'
import { printTable } from '../print.ts'
import { localHealthUrls } from '../processes/health-urls.ts'
import type { ProcessSample } from './sample-process.ts'

type TopOptions = JsonOption & {
  readonly process: readonly string[]
  readonly interval: number
  readonly once?: true
}

const INTERVAL_SECONDS = 2
const INTERVAL_SECONDS_MIN = 0.2
const INTERVAL_SECONDS_MAX = 3_600
/** Moves the cursor to the top left and clears what is below. */
const REDRAW = '\u001B[H\u001B[J'

export function registerTop(program: Command): void {
  const collect = (value: string, values: readonly string[]) => [...values, value]
  program
    .command('top')
    .description('show what the processes do: requests, tokens, slots, backlog')
    .option('--process <url>', 'health port of a process; may be repeated', collect, [])
    .addOption(
      new Option('--interval <seconds>', 'time between two tables, which rates refer to')
        .default(INTERVAL_SECONDS)
        .argParser(parseInterval),
    )
    .option('--once', 'print one table and exit, as if the output is not a terminal')
    .addOption(jsonOption())
    .action(runTop)
}

async function runTop(options: TopOptions): Promise<void> {
  const { COLUMNS, summarise } = await import('./summarise.ts')
  const urls = options.process.length > 0 ? options.process : await configuredUrls()
  const repeated = options.once !== true && options.json !== true && process.stdout.isTTY
  let before = await sampleAll(urls)
  for (;;) {
    await pause(options.interval * 1000)
    const after = await sampleAll(urls)
    const rows = after.flatMap((sample) => {
      const earlier = before.find(({ url }) => url === sample.url)
      return earlier === undefined ? [] : [summarise(earlier, sample)]
    })
    if (rows.length === 0 && !repeated)
      throw new OperatorError('no process answers; name their health ports with --process')
    if (repeated) process.stdout.write(`${REDRAW}${new Date().toISOString()}\n`)
    printTable(COLUMNS, rows, options)
    if (!repeated) return
    before = after
  }
}

async function configuredUrls(): Promise<string[]> {
  const { loadConfigFromProcess } = await import('../../config/load.ts')
  const config = loadConfigFromProcess()
  return [...new Set([...config.console.api_health_urls, ...localHealthUrls(config)])]
}

async function sampleAll(urls: readonly string[]): Promise<ProcessSample[]> {
  const { sampleProcess } = await import('./sample-process.ts')
  const samples = await Promise.all(urls.map(sampleProcess))
  return samples.filter((sample) => sample !== undefined)
}

function parseInterval(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (seconds >= INTERVAL_SECONDS_MIN && seconds <= INTERVAL_SECONDS_MAX) return seconds
  throw new InvalidArgumentError(
    `Must be a number of seconds from ${INTERVAL_SECONDS_MIN} to ${INTERVAL_SECONDS_MAX}.`,
  )
}

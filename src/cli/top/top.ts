import { setTimeout as pause } from 'node:timers/promises'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { OperatorError } from '../../lib/operator-error.ts'
import { jsonOption, processOption, type JsonOption, type ProcessOption } from '../options.ts'
import { configuredHealthUrls } from '../processes/health-urls.ts'
import type { ProcessSample } from './sample-process.ts'

type TopOptions = JsonOption & ProcessOption & { readonly interval: number; readonly once?: true }

const INTERVAL_SECONDS = 2
const INTERVAL_SECONDS_MIN = 0.2
const INTERVAL_SECONDS_MAX = 3_600
/** Moves the cursor to the top left and clears what is below. */
const REDRAW = '\u001B[H\u001B[J'

export function registerTop(program: Command): void {
  program
    .command('top')
    .description('show processes, engines, queues and the organizations that use most')
    .addOption(processOption())
    .addOption(
      new Option('--interval <seconds>', 'time between two readings, over which rates are measured')
        .default(INTERVAL_SECONDS)
        .argParser(parseInterval),
    )
    .option('--once', 'print once and exit; the default if the output is not a terminal')
    .addOption(jsonOption())
    .action(runTop)
}

async function runTop(options: TopOptions): Promise<void> {
  const { summarise } = await import('./summarise.ts')
  const { summariseFleet } = await import('./summarise-fleet.ts')
  const { draw } = await import('./draw.ts')
  const urls = options.process.length > 0 ? options.process : await configuredUrls()
  const { stdout } = process
  const repeated = options.once !== true && options.json !== true && stdout.isTTY
  let before = await sampleAll(urls)
  for (;;) {
    await pause(options.interval * 1000)
    const after = await sampleAll(urls)
    const processes = after.flatMap((sample) => {
      const earlier = before.find(({ url }) => url === sample.url)
      return earlier === undefined ? [] : [summarise(earlier, sample)]
    })
    if (processes.length === 0 && !repeated)
      throw new OperatorError('no process answers; name their health ports with --process')
    const fleet = summariseFleet(before, after)
    const lines = repeated ? stdout.rows : Infinity
    if (repeated) stdout.write(`${REDRAW}${new Date().toISOString()}\n`)
    console.log(
      options.json === true
        ? JSON.stringify({ processes, ...fleet }, null, 2)
        : draw(processes, fleet, { columns: stdout.columns ?? 0, lines }, Date.now()),
    )
    if (!repeated) return
    before = after
  }
}

async function configuredUrls(): Promise<string[]> {
  const { loadConfigFromProcess } = await import('../../config/load.ts')
  return configuredHealthUrls(loadConfigFromProcess('command'))
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

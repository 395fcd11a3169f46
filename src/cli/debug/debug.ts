import type { Command } from 'commander'
import { processOption, type ProcessOption } from '../options.ts'

type BundleOptions = ProcessOption & {
  readonly output?: string
  readonly log: readonly string[]
}

export function registerDebug(program: Command): void {
  const collect = (value: string, values: readonly string[]) => [...values, value]
  program
    .command('debug')
    .description('collect what is needed to diagnose a problem')
    .command('bundle')
    .description('write an archive for a bug report, without secrets and content')
    .option('--output <file>', 'file to write, or - (default: headrace-debug-TIME.tar.gz)')
    .addOption(processOption())
    .option('--log <file>', 'log file whose last lines are added; may be repeated', collect, [])
    .action(async (options: BundleOptions) => {
      const { collectBundle } = await import('./collect-bundle.ts')
      const { writeBundle } = await import('./write-bundle.ts')
      const files = await collectBundle({
        urls: options.process,
        logs: options.log,
        version: program.version() ?? '',
      })
      await writeBundle(files, options.output)
    })
}

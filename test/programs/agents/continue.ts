import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { placeExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import { expectNote, placeNote } from '../../harness/programs/note.ts'
import type { Program } from '../../harness/programs/program.ts'

function cn(bench: Bench, ...parameters: readonly string[]) {
  const settings = placeExample('continue.yaml', bench, 'continue.yaml')
  return {
    file: join(bench.folder, 'node_modules', '.bin', 'cn'),
    parameters: ['-p', '--config', settings, ...parameters],
  }
}

export const program: Program = {
  name: 'Continue CLI',
  version: '1.5.47',
  install: npmPackages('@continuedev/cli@1.5.47'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(cn(bench, '--format', 'json', QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(cn(bench, QUESTION))),
    tools: async (bench) => {
      placeNote(bench)
      expectNote(await bench.run(cn(bench, 'USETOOL=Read')))
    },
    abort: async (bench) => bench.interrupt(cn(bench, ENDLESS)),
  },
}

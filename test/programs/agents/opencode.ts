import { arch } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { placeExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import { expectNote, placeNote } from '../../harness/programs/note.ts'
import type { Program } from '../../harness/programs/program.ts'

/** The program of the package for this machine, which the install script would only copy. */
function opencode(bench: Bench, ...parameters: readonly string[]) {
  placeExample('opencode.json', bench, 'opencode.json')
  return {
    file: join(bench.folder, 'node_modules', `opencode-linux-${arch()}`, 'bin', 'opencode'),
    parameters: ['run', '--model', `headrace/${bench.model}`, ...parameters],
  }
}

export const program: Program = {
  name: 'opencode',
  version: '1.18.33',
  install: npmPackages('opencode-ai@1.18.33'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(opencode(bench, QUESTION))),
    stream: async (bench) => {
      expectAnswer(await bench.run(opencode(bench, '--format', 'json', QUESTION)))
    },
    tools: async (bench) => {
      placeNote(bench)
      expectNote(await bench.run(opencode(bench, 'USETOOL=read')))
    },
    abort: async (bench) => bench.interrupt(opencode(bench, ENDLESS)),
  },
}

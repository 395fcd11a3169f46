import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { placeExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import { expectNote, placeNote } from '../../harness/programs/note.ts'
import type { Program } from '../../harness/programs/program.ts'

function pi(bench: Bench, ...parameters: readonly string[]) {
  placeExample('pi-models.json', bench, '.pi/agent/models.json')
  return {
    file: join(bench.folder, 'node_modules', '.bin', 'pi'),
    parameters: ['-p', '--offline', '--model', `headrace/${bench.model}`, ...parameters],
  }
}

export const program: Program = {
  name: 'pi',
  version: '0.73.1',
  install: npmPackages('@mariozechner/pi-coding-agent@0.73.1'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(pi(bench, QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(pi(bench, '--mode', 'json', QUESTION))),
    tools: async (bench) => {
      placeNote(bench)
      expectNote(await bench.run(pi(bench, 'USETOOL=read')))
    },
    abort: async (bench) => bench.interrupt(pi(bench, ENDLESS)),
  },
}

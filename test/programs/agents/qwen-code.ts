import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Bench } from '../../harness/programs/bench.ts'
import { readExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import { expectNote, placeNote } from '../../harness/programs/note.ts'
import type { Program } from '../../harness/programs/program.ts'

function qwen(bench: Bench, prompt: string, ...parameters: readonly string[]) {
  const settings = parseEnv(readExample('qwen.env', bench)) as Record<string, string>
  return {
    file: join(bench.folder, 'node_modules', '.bin', 'qwen'),
    parameters: ['--auth-type', 'openai', ...parameters, '-p', prompt],
    environment: { ...settings, OPENAI_API_KEY: bench.apiKey },
  }
}

export const program: Program = {
  name: 'Qwen Code',
  version: '0.24.4',
  install: npmPackages('@qwen-code/qwen-code@0.24.4'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(qwen(bench, QUESTION))),
    stream: async (bench) => {
      const events = ['-o', 'stream-json', '--include-partial-messages']
      expectAnswer(await bench.run(qwen(bench, QUESTION, ...events)))
    },
    tools: async (bench) => {
      const given = JSON.stringify({ file_path: placeNote(bench) })
      expectNote(await bench.run(qwen(bench, `USETOOL=read_file ARGS=${given}`)))
    },
    abort: async (bench) => bench.interrupt(qwen(bench, ENDLESS)),
  },
}

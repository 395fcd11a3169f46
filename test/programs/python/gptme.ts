import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { pythonPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

function gptme(bench: Bench, ...parameters: readonly string[]) {
  return {
    file: join(bench.folder, 'bin', 'gptme'),
    parameters: [
      '--non-interactive',
      '--tools',
      'shell',
      '-m',
      `local/${bench.model}`,
      ...parameters,
    ],
    environment: { OPENAI_BASE_URL: bench.apiRoot, OPENAI_API_KEY: bench.apiKey },
  }
}

export const program: Program = {
  name: 'gptme',
  version: '0.35.1',
  install: pythonPackages('gptme==0.35.1'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(gptme(bench, '--no-stream', QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(gptme(bench, QUESTION))),
    tools: async (bench) => {
      const prompt = 'USETOOL=shell ARGS={"command":"echo 21 degrees"}'
      const output = await bench.run(gptme(bench, '--tool-format', 'tool', prompt))
      expectAnswer(output, '21 degrees')
    },
    abort: async (bench) => bench.interrupt(gptme(bench, ENDLESS)),
  },
}

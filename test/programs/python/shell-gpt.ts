import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { pythonPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

function sgpt(bench: Bench, prompt: string) {
  return {
    file: join(bench.folder, 'bin', 'sgpt'),
    parameters: ['--no-cache', '--no-md', prompt],
    environment: {
      API_BASE_URL: bench.apiRoot,
      OPENAI_API_KEY: bench.apiKey,
      DEFAULT_MODEL: bench.model,
      USE_LITELLM: 'false',
    },
  }
}

export const program: Program = {
  name: 'shell-gpt',
  version: '1.5.1',
  // It imports click, but does not ask for it.
  install: pythonPackages('shell-gpt==1.5.1', 'click==8.5.1'),
  checks: {
    stream: async (bench) => expectAnswer(await bench.run(sgpt(bench, QUESTION))),
    abort: async (bench) => bench.interrupt(sgpt(bench, ENDLESS)),
  },
}

import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { readExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { pythonPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'
import { parseEnv } from 'node:util'

const QUIET = ['--no-git', '--yes-always', '--no-check-update', '--no-show-model-warnings']

function aider(bench: Bench, ...parameters: readonly string[]) {
  const { OPENAI_API_BASE = '', AIDER_MODEL = '' } = parseEnv(readExample('aider.env', bench))
  return {
    file: join(bench.folder, 'bin', 'aider'),
    parameters: [...QUIET, '--analytics-disable', ...parameters],
    environment: {
      OPENAI_API_BASE,
      AIDER_MODEL,
      OPENAI_API_KEY: bench.apiKey,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
  }
}

export const program: Program = {
  name: 'aider',
  version: '0.86.2',
  install: pythonPackages('aider-chat==0.86.2'),
  checks: {
    chat: async (bench) =>
      expectAnswer(await bench.run(aider(bench, '--no-stream', '--message', QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(aider(bench, '--message', QUESTION))),
    abort: async (bench) => bench.interrupt(aider(bench, '--message', ENDLESS)),
  },
}

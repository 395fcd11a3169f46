import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

function settingsFor({ apiRoot, model }: Bench): readonly string[] {
  const provider = 'model_providers.headrace'
  return [
    `model="${model}"`,
    'model_provider="headrace"',
    `${provider}.name="Headrace"`,
    `${provider}.base_url="${apiRoot}"`,
    `${provider}.env_key="HEADRACE_API_KEY"`,
    `${provider}.wire_api="responses"`,
  ].flatMap((setting) => ['-c', setting])
}

function codex(bench: Bench, prompt: string) {
  return {
    file: join(bench.folder, 'node_modules', '.bin', 'codex'),
    parameters: ['exec', '--skip-git-repo-check', ...settingsFor(bench), prompt],
  }
}

/** It speaks the Responses API only, and says why it got nothing in its last line. */
export const program: Program = {
  name: 'Codex CLI',
  version: '0.169.0',
  install: npmPackages('@openai/codex@0.169.0'),
  checks: {
    stream: async (bench) => {
      try {
        expectAnswer(await bench.run(codex(bench, QUESTION)))
      } catch (error) {
        const [reason] = /The Responses API is not supported/.exec(String(error)) ?? []
        throw reason === undefined ? error : new Error(`404 ${reason}.`, { cause: error })
      }
    },
  },
}

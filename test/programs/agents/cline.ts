import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { npmPackages } from '../../harness/programs/install.ts'
import { expectNote, placeNote } from '../../harness/programs/note.ts'
import type { Program } from '../../harness/programs/program.ts'

const PROVIDER = 'openai-compatible'

/** Stores the settings, then is ready for `parameters`. */
async function cline(bench: Bench, ...parameters: readonly string[]) {
  const { apiKey, apiRoot, model } = bench
  const file = join(bench.folder, 'node_modules', '.bin', 'cline')
  // Without it a daemon stays behind, which outlives the program.
  const environment = { CLINE_SESSION_BACKEND_MODE: 'local' }
  const settings = ['auth', '-p', PROVIDER, '-k', apiKey, '-m', model, '-b', apiRoot]
  await bench.run({ file, parameters: settings, environment })
  return { file, parameters: ['-P', PROVIDER, '-m', model, ...parameters], environment }
}

export const program: Program = {
  name: 'Cline CLI',
  version: '3.0.65',
  install: npmPackages('cline@3.0.65'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(await cline(bench, QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(await cline(bench, '--json', QUESTION))),
    tools: async (bench) => {
      const given = JSON.stringify({ files: [{ path: placeNote(bench) }] })
      const prompt = `USETOOL=read_files ARGS=${given}`
      expectNote(await bench.run(await cline(bench, prompt)))
    },
    // One word alone would be a command.
    abort: async (bench) => bench.interrupt(await cline(bench, `Please: ${ENDLESS}`)),
  },
}

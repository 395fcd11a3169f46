import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { placeExample } from '../../harness/programs/example.ts'
import { ENDLESS, expectAnswer, QUESTION } from '../../harness/programs/expected.ts'
import { pythonPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

const WEATHER = 'def weather(city: str) -> str:\n    return f"21 degrees in {city}"\n'

function llm(bench: Bench, ...parameters: readonly string[]) {
  placeExample('llm-models.yaml', bench, 'llm/extra-openai-models.yaml')
  return {
    file: join(bench.folder, 'bin', 'llm'),
    parameters: ['-m', 'headrace', '--key', bench.apiKey, ...parameters],
    environment: { LLM_USER_PATH: join(bench.home, 'llm') },
  }
}

export const program: Program = {
  name: 'llm',
  version: '0.36',
  install: pythonPackages('llm==0.36'),
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(llm(bench, '--no-stream', QUESTION))),
    stream: async (bench) => expectAnswer(await bench.run(llm(bench, QUESTION))),
    tools: async (bench) => {
      const prompt = 'USETOOL=weather ARGS={"city":"Oslo"}'
      const output = await bench.run(llm(bench, '--functions', WEATHER, prompt))
      expectAnswer(output, '21 degrees in Oslo')
    },
    schema: async (bench) => {
      const output = await bench.run(llm(bench, '--schema', 'name, age int', QUESTION))
      expectAnswer(output, '{"name":"example","age":1}')
    },
    abort: async (bench) => bench.interrupt(llm(bench, ENDLESS)),
  },
}

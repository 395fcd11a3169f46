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

/** CI installs it, so every package is pinned, not only the program. */
const NEEDED = [
  'annotated-types==0.8.0',
  'anyio==4.16.0',
  'click==8.5.1',
  'click-default-group==1.2.4',
  'condense-json==1.1',
  'h11==0.16.0',
  'httpcore2==2.16.0',
  'httpx2==2.16.0',
  'idna==3.20',
  'jiter==0.19.0',
  'openai==3.51.0',
  'pip==26.3',
  'pluggy==1.7.0',
  'puremagic==1.30',
  'pydantic==2.14.3',
  'pydantic-core==2.50.4',
  'python-dateutil==4.0.0',
  'python-ulid==4.1.0',
  'pyyaml==6.0.3',
  'setuptools==84.2.1',
  'sniffio==1.3.1',
  'sqlite-fts4==1.0.3',
  'sqlite-utils==4.2.1',
  'tabulate==0.10.0',
  'truststore==0.10.5',
  'typing-extensions==4.16.0',
  'typing-inspection==0.4.5',
  'tzdata==2026.6',
]

export const program: Program = {
  name: 'llm',
  version: '0.36',
  install: pythonPackages('llm==0.36', ...NEEDED),
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

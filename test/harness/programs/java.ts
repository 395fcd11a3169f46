import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Bench } from './bench.ts'
import { ENDLESS, expectAnswer, QUESTION } from './expected.ts'
import { call } from '../../../stack/engines/uv.ts'
import type { Install } from './install.ts'
import type { Program } from './program.ts'

const TEST = resolve(import.meta.dirname, '..', '..')

type Described = {
  readonly name: string
  /** The folder of its pom.xml in test/programs/java. */
  readonly key: string
  /** The artifact whose version is that of the program. */
  readonly artifact: string
  /** The class and the name of the file in examples/programs; its arguments: check and prompt. */
  readonly example: string
}

/** A Java library, tried by the very example that we ship. */
export function javaProgram({ name, key, artifact, example }: Described): Program {
  const pom = join(TEST, 'programs', 'java', key, 'pom.xml')
  const source = resolve(TEST, '..', 'examples', 'programs', `${example}.java`)
  const run = ({ folder }: Bench, check: string, prompt: string) => ({
    file: 'java',
    parameters: ['-cp', `${join(folder, 'lib', '*')}:${folder}`, example, check, prompt],
  })
  const tool = 'USETOOL=weather ARGS={"city":"Oslo"}'
  const expect = async (bench: Bench, check: string, prompt: string, wanted?: string) =>
    expectAnswer(await bench.run(run(bench, check, prompt)), wanted)
  return {
    name,
    version: versionOf(artifact, readFileSync(pom, 'utf8')),
    install: compile(pom, source),
    checks: {
      chat: (bench) => expect(bench, 'chat', QUESTION),
      stream: (bench) => expect(bench, 'stream', QUESTION),
      tools: (bench) => expect(bench, 'tools', tool, 'The tool says: 21 degrees in Oslo'),
      schema: (bench) => expect(bench, 'schema', QUESTION, 'Person[name=example, age=1]'),
      abort: (bench) => bench.interrupt(run(bench, 'stream', ENDLESS)),
    },
  }
}

function versionOf(artifact: string, pom: string): string {
  const text = new RegExp(`<artifactId>${artifact}</artifactId>\\s*<version>([^<]+)`).exec(pom)
  if (text?.[1] === undefined) throw new Error(`the pom.xml does not name ${artifact}`)
  return text[1]
}

function compile(pom: string, source: string): Install {
  return {
    wanted: [pom, source].map((file) => readFileSync(file, 'utf8')).join(''),
    async run(folder) {
      const lib = join(folder, 'lib')
      const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${lib}`]
      await call('mvn', ['-q', '-B', '-f', pom, ...copy])
      await call('javac', ['-parameters', '-cp', join(lib, '*'), '-d', folder, source])
    },
  }
}

import { writeFileSync } from 'node:fs'
import { arch } from 'node:os'
import { join } from 'node:path'
import { call } from '../../../stack/engines/uv.ts'
import type { Bench } from '../../harness/programs/bench.ts'
import { placeExample } from '../../harness/programs/example.ts'
import { expectAnswer } from '../../harness/programs/expected.ts'
import type { Install } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

const VERSION = '0.123.1'
/** Of more than a gigabyte of optional packages, it does not start without this one. */
const PACKAGES = [`promptfoo@${VERSION}`, `@libsql/linux-${arch()}-gnu@0.5.29`]

const install: Install = {
  wanted: PACKAGES.join('\n'),
  async run(folder) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const options = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--silent']
    await call('npm', ['install', ...options, '--prefix', folder, ...PACKAGES])
  },
}

function evaluate(bench: Bench) {
  const settings = placeExample('promptfooconfig.yaml', bench, 'promptfooconfig.yaml')
  return {
    file: join(bench.folder, 'node_modules', '.bin', 'promptfoo'),
    parameters: ['eval', '--no-cache', '-c', settings],
    environment: { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1' },
  }
}

/** It exits with an error unless the answer passes the test in its settings. */
export const program: Program = {
  name: 'promptfoo',
  version: VERSION,
  install,
  checks: {
    chat: async (bench) => expectAnswer(await bench.run(evaluate(bench))),
  },
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { apiRoot, createKey } from '../at-desk.ts'
import { PYTHON } from '../openai-python/install.ts'

const CLIENTS = join(import.meta.dirname, '..')
const PAGE = join(CLIENTS, '../../docs/clients.md')
const API_ROOT_ON_PAGE = 'http://127.0.0.1:8080/compat/v1'

/** Where each snippet finds its packages: the first of these that it imports decides. */
const FOLDERS = {
  '@genkit-ai/compat-oai': 'genkit',
  '@instructor-ai/instructor': 'instructor',
  '@langchain/openai': 'langchain-1',
  '@mastra/core/agent': 'mastra',
  '@openai/agents': 'agents',
  ai: 'ai-sdk',
  openai: 'openai',
}

/** Packages that the suite has in several versions go by other names there. */
const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ai-sdk': { ai: 'ai-7', '@ai-sdk/openai-compatible': 'ai-sdk-openai-compatible-3' },
  openai: { openai: 'openai-7' },
}

const key = await createKey()
const page = readFileSync(PAGE, 'utf8')
const sections = page.split(/^## /m).slice(1)

describe('docs/clients.md', () => {
  for (const section of sections) {
    const title = section.slice(0, section.indexOf('\n'))
    for (const [, language, code] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
      test(`the ${language} snippet of '${title}' runs as it is written`, async () => {
        const printed = await runSnippet(language ?? '', code ?? '')
        assert.ok(printed.trim().length > 0, 'it printed nothing')
      })
    }
  }
})

async function runSnippet(language: string, code: string): Promise<string> {
  assert.ok(code.includes(API_ROOT_ON_PAGE), 'it does not name the API root')
  const pointed = code.replaceAll(API_ROOT_ON_PAGE, apiRoot)
  const options = { env: { HEADRACE_API_KEY: key } }
  if (language === 'python') {
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', pointed], options)
    return stdout
  }
  const folder = chooseFolder(code)
  // Node resolves packages from where a file stands, so the snippet has to stand there.
  const place = mkdtempSync(join(CLIENTS, folder, '.snippet-'))
  try {
    const file = join(place, 'snippet.mts')
    writeFileSync(file, renameImports(pointed, ALIASES[folder] ?? {}))
    const { stdout } = await promisify(execFile)(process.execPath, [file], options)
    return stdout
  } finally {
    rmSync(place, { recursive: true })
  }
}

function chooseFolder(code: string): string {
  const found = Object.entries(FOLDERS).find(([name]) => code.includes(`from '${name}'`))
  assert.ok(found, 'it imports no client of this suite')
  return found[1]
}

function renameImports(code: string, names: Readonly<Record<string, string>>): string {
  return Object.entries(names).reduce(
    (renamed, [name, alias]) => renamed.replaceAll(`from '${name}'`, `from '${alias}'`),
    code,
  )
}

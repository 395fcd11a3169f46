// Migration scripts write a valid configuration and commands that exist, and no secret.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { findMistake } from './commands.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FIXTURES = join(import.meta.dirname, 'migrate')
const fixture = (name: string) => join(FIXTURES, name)

/** Values in the fixtures that no output may repeat. */
const SECRETS = /secret|sk-1234|dbpassword|sk-ant|kTQOG|88dc28d0/

/** What `headrace config` needs besides the file. */
const ENVIRONMENT = {
  HEADRACE_DATABASE_URL: 'postgres://user:password@127.0.0.1:5432/headrace',
  HEADRACE_VALKEY_URL: 'redis://127.0.0.1:6379',
  GPU_1_KEY: 'one',
  HEADRACE_GPU_1_KEY: 'one',
  HEADRACE_GPU_2_INTERNAL_8000_KEY: 'two',
  LLAMA_BASE: 'http://gpu-4.internal:30000/v1',
}

type Result = {
  readonly report: string
  readonly commands: string[]
  readonly config: {
    readonly engines: Record<string, unknown>[]
    readonly models: Record<string, unknown>[]
    readonly plans: { readonly standard: { readonly billing: string } }
  }
}

function migrate(script: string, ...parameters: string[]): Result {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-migrate-'))
  try {
    const command = [join(ROOT, 'examples/migrate', script), ...parameters, '--out', folder]
    const report = execFileSync(process.execPath, command, { encoding: 'utf8', env: ENVIRONMENT })
    const [yaml = '', sh = ''] = ['headrace.yaml', 'commands.sh'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    )
    assert.doesNotMatch(report + yaml + sh, SECRETS)
    const check = {
      encoding: 'utf8',
      env: { ...ENVIRONMENT, HEADRACE_CONFIG: `${folder}/headrace.yaml` },
    }
    const main = [join(ROOT, 'src/main.ts'), 'config']
    const { status, stderr } = spawnSync(process.execPath, main, check as { encoding: 'utf8' })
    assert.equal(status, 0, `headrace config refuses the file: ${stderr}\n${yaml}`)
    const commands = sh.split('\n').filter((line) => line.startsWith('headrace '))
    assert.deepEqual(
      commands.flatMap((each) => findMistake(each) ?? []),
      [],
    )
    return { report, commands, config: parse(yaml) as Result['config'] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('a configuration of LiteLLM', () => {
  const { report, commands, config } = migrate(
    'from-litellm.ts',
    fixture('litellm.yaml'),
    '--teams',
    fixture('litellm-teams.json'),
    '--keys',
    fixture('litellm-keys.json'),
  )

  test('keeps its own servers, with names, keys, weights, prices and lengths', () => {
    assert.deepEqual(config.engines, [
      {
        name: 'gpu-1.internal-8000',
        kind: 'vllm',
        url: 'http://gpu-1.internal:8000',
        api_key_env: 'GPU_1_KEY',
        slots: 64,
        model_name: 'Qwen/Qwen3-8B',
      },
      {
        name: 'gpu-2.internal-8000',
        kind: 'vllm',
        url: 'http://gpu-2.internal:8000',
        api_key_env: 'HEADRACE_GPU_2_INTERNAL_8000_KEY',
        slots: 'auto',
        model_name: 'Qwen/Qwen3-8B',
      },
      {
        name: 'gpu-4.internal-30000',
        kind: 'vllm',
        url: 'http://gpu-4.internal:30000',
        slots: 'auto',
        model_name: 'meta-llama/Llama-3.3-70B-Instruct',
      },
    ])
    assert.deepEqual(config.models, [
      {
        id: 'qwen3-8b',
        owned_by: 'local',
        context_length: 32_768,
        max_output_tokens: 8_192,
        price: { input: 0.1, cached_input: 0.02, output: 0.4 },
        first_token_seconds: 60,
        total_seconds: 600,
        engines: [
          { name: 'gpu-1.internal-8000', weight: 2 },
          { name: 'gpu-2.internal-8000', weight: 1 },
        ],
        aliases: ['small'],
      },
      {
        id: 'llama-70b',
        owned_by: 'local',
        context_length: 131_072,
        default_parameters: { max_tokens: 1_024 },
        price: { input: 0.6, output: 0.8 },
        engines: ['gpu-4.internal-30000'],
        fallback: ['qwen3-8b'],
      },
    ])
    assert.equal(config.plans.standard.billing, 'postpaid')
  })

  test('names what does not carry over', () => {
    for (const line of [
      'model gpt-4o: left out: api_base is not set, also not in the environment',
      'model claude: left out: anthropic is not an engine of yours',
      'model *: left out: its name is no model id',
      'model embeddings: left out: mode embedding; only chat completions are served',
      'model qwen3-8b: no counterpart of rpm',
      'alias gpt-4: left out',
      'fallbacks of llama-70b: only models that carry over are kept',
      'litellm_settings.cache_params: no counterpart',
      'guardrails: no counterpart',
      'team Search & Ads: set its budget on its project',
      'key sk-...9QfT: its budget is now for each calendar month',
      'key old: left out: blocked',
      'key over: left out: it has expired',
      'key cloud only: left out: none of its models carries over',
    ])
      assert.ok(report.includes(`- ${line}\n`), `${line}\n${report}`)
  })

  test('gives each team an organization with its limits, and new keys', () => {
    assert.deepEqual(commands, [
      "headrace organization create search-ads --name 'Search & Ads'",
      'headrace organization change search-ads --requests-per-minute 300 ' +
        '--tokens-per-minute 200000',
      "headrace key create --organization search-ads --name 'search production' " +
        '--models qwen3-8b --expires 2999-03-01T08:30Z --requests-per-minute 60 ' +
        '--spending-limit 100.50',
      "headrace organization create main --name 'main'",
      "headrace key create --organization main --name 'sk-...9QfT' --spending-limit 10.00",
    ])
  })
})

describe('channels and tokens of one-api', () => {
  const { report, commands, config } = migrate(
    'from-one-api.ts',
    fixture('one-api-channels.json'),
    '--tokens',
    fixture('one-api-tokens.json'),
    '--kind',
    'sglang',
  )

  test('become engines and models, with mapped names and weights', () => {
    assert.deepEqual(
      config.engines.map(({ name, kind, url, api_key_env, model_name }) => [
        name,
        kind,
        url,
        api_key_env,
        model_name,
      ]),
      [
        [
          'gpu-1.internal-8000',
          'sglang',
          'http://gpu-1.internal:8000',
          'HEADRACE_GPU_1_KEY',
          'qwen3-8b',
        ],
        ['gpu-2.internal-8000', 'sglang', 'http://gpu-2.internal:8000', undefined, 'qwen3-8b'],
      ],
    )
    assert.deepEqual(
      config.models.map(({ id, engines }) => [id, engines]),
      [
        ['qwen3-8b', [{ name: 'gpu-1.internal-8000', weight: 3 }, 'gpu-2.internal-8000']],
        ['qwen3-8b-fast', [{ name: 'gpu-1.internal-8000', weight: 3 }]],
      ],
    )
    assert.equal(config.plans.standard.billing, 'none')
  })

  test('name what does not carry over', () => {
    for (const line of [
      'channel Anthropic: left out: it leads to a provider, not to an engine of yours',
      'channel Retired: left out: it is disabled',
      'channel GPU 2: left out: odd name is no model id',
      'channel GPU 2: group vip: make a plan with these models',
      'token search: 2.50 dollars were left: grant them',
      'token search: networks are allowed for an organization',
      'token over: left out: it has expired',
      'token used up: left out: it is disabled, expired or used up',
    ])
      assert.ok(report.includes(`- ${line}\n`), `${line}\n${report}`)
  })

  test('become an organization for each user, with new keys', () => {
    assert.deepEqual(commands, [
      "headrace organization create user-1 --name 'user-1'",
      "headrace key create --organization user-1 --name 'search' --models qwen3-8b " +
        '--expires 2999-03-01T08:30Z',
      "headrace organization create user-2 --name 'user-2'",
      "headrace key create --organization user-2 --name 'it s mine'",
    ])
  })
})

test('a file without a server of your own is refused', () => {
  const script = join(ROOT, 'examples/migrate/from-one-api.ts')
  const { status, stderr } = spawnSync(
    process.execPath,
    [script, fixture('one-api-tokens.json'), '--out', join(tmpdir(), 'never-written')],
    { encoding: 'utf8' },
  )
  assert.equal(status, 1)
  assert.match(stderr, /no channel leads to a server of yours/)
})

// Rules for .github/workflows: what they run is pinned, and what can sign runs nothing else.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { writeNotes } from '../package/write-notes.ts'

const ROOT = resolve(import.meta.dirname, '..')

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}
type Job = {
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly steps?: readonly Step[]
}
type Workflow = {
  readonly permissions?: object
  readonly env?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** Everything else that a job with an identity runs would act in the name of the project. */
const COMMANDS_OF_SIGNERS = {
  sign: ['curl', 'sha256sum', 'chmod', 'mkdir', 'gh', 'rm', 'cd', 'mv', './cosign'],
  npm: ['gh', 'npm publish'],
}
/** They run what is newest, or what a tag leads to at that moment. */
const UNPINNED = new RegExp(
  [
    '--privileged|buildx create|docker pull',
    String.raw`\b(?:npx|uvx?)\b|npm (?:i|install|exec)\b|go (?:install|run)\b`,
  ].join('|'),
)
/** `$/` is a file of the same commit. */
const PINNED_ACTION = /^(?:\$\/|[\w-]+\/[\w-]+@[0-9a-f]{40}$)/
const BY_DIGEST = /@\$\{\{ needs\.image\.outputs\.digest \}\}$/

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

/** The commands of a script: the first word of each, and the second of npm. */
function commandsOf(script: string): string[] {
  const lines = script.replaceAll('\\\n', ' ').split('\n')
  return lines
    .flatMap((line) => line.split(/&&|\||;;|\$\(|[()]|\bdo\b|\bin \*/))
    .map((part) => part.trim().replace(/^(?:"\$[^ ]*|[A-Za-z_]+=[^ ]*|[*-]+\)?)\s*/, ''))
    .filter((part) => !/^(?:$|#|>|for |done|case |esac|channel=|\w+=)/.test(part))
    .map((part) => /^(?:npm \w+|[^\s<>]+)/.exec(part)?.[0] ?? part)
}

const WORKFLOWS = Object.fromEntries(
  globSync('.github/workflows/*', { cwd: ROOT }).map((path) => [
    basename(path),
    parse(read(path)) as Workflow,
  ]),
)
const RELEASE = WORKFLOWS['release.yml'] as Workflow
const JOBS = Object.entries(WORKFLOWS).flatMap(([file, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => ({ name: `${file}: ${name}`, job })),
)

describe('workflows', () => {
  test('no workflow has rights, and every job lists its own', () => {
    for (const [file, { permissions }] of Object.entries(WORKFLOWS))
      assert.deepEqual(permissions, {}, file)
    for (const { name, job } of JOBS) assert.ok(job.permissions, name)
  })

  test('every action is pinned to a commit', () => {
    for (const { name, job } of JOBS) {
      const actions = [job, ...(job.steps ?? [])].flatMap(({ uses }) => uses ?? [])
      const unpinned = actions.filter((action) => !PINNED_ACTION.test(action))
      assert.deepEqual(unpinned, [], name)
    }
  })

  test('a job downloads and runs only what is pinned, and nothing privileged', () => {
    for (const { name, job } of JOBS) {
      assert.ok(!('container' in job || 'services' in job), `${name}: images by tag`)
      for (const { run = '' } of job.steps ?? []) {
        assert.doesNotMatch(run, UNPINNED, name)
        if (/\bpip"? install/.test(run)) assert.match(run, /--require-hashes/, name)
        if (run.includes('docker run')) {
          assert.match(run, / "\$IMAGE" /, name)
          assert.match(job.env?.['IMAGE'] ?? '', BY_DIGEST, name)
        }
        for (const [, tool = ''] of run.matchAll(/"\$(\w+)_URL"/g))
          assert.ok(run.includes(`sha256sum --check --strict <<<"$${tool}_SHA256  `), name)
      }
    }
  })

  test('the token is given only to steps that use it', () => {
    for (const { name, job } of JOBS) {
      assert.ok(!JSON.stringify(job.env ?? {}).includes('github.token'), name)
      for (const { env, run = '' } of job.steps ?? [])
        if (env?.['GH_TOKEN'] !== undefined) assert.match(run, /\bgh release\b|\$GH_TOKEN/, name)
    }
    assert.ok(!JSON.stringify(RELEASE.env).includes('github.token'))
  })

  test('programs are downloaded from a URL with a version, and have a checksum', () => {
    const { env = {} } = RELEASE
    const tools = Object.keys(env).flatMap((name) => /^(\w+)_URL$/.exec(name)?.[1] ?? [])
    assert.deepEqual(tools.toSorted(), ['COSIGN', 'GRYPE'])
    for (const tool of tools) {
      assert.match(env[`${tool}_URL`] ?? '', /^https:\/\/github\.com\/.*\/v\d+\.\d+\.\d+\//)
      assert.match(env[`${tool}_SHA256`] ?? '', /^[0-9a-f]{64}$/)
    }
    assert.match(
      read('.github/zizmor/requirements.txt'),
      /^zizmor==\S+ --hash=sha256:[0-9a-f]{64}\n$/,
    )
  })

  test('what can sign checks out and runs nothing of the project', () => {
    const signers = Object.entries(RELEASE.jobs).filter(
      ([, { permissions }]) => permissions?.['id-token'] === 'write',
    )
    assert.deepEqual(
      signers.map(([name]) => name),
      Object.keys(COMMANDS_OF_SIGNERS),
    )
    for (const [name, { steps = [] }] of signers) {
      const allowed = COMMANDS_OF_SIGNERS[name as keyof typeof COMMANDS_OF_SIGNERS]
      const others = steps
        .flatMap(({ run = '' }) => commandsOf(run))
        .filter((command) => !allowed.includes(command))
      assert.deepEqual(others, [], name)
      const actions = steps.flatMap(({ uses }) => uses?.split('@')[0] ?? [])
      assert.deepEqual(actions, name === 'npm' ? ['actions/setup-node'] : [])
    }
  })

  test('the image is built without running a program, on a base that is verified', () => {
    const dockerfile = read('deploy/image/Dockerfile')
    assert.doesNotMatch(dockerfile, /^(?:RUN|ADD|# syntax)/m)
    assert.deepEqual(dockerfile.match(/^FROM .*$/gm), ['FROM ${BASE}'])
    assert.equal(RELEASE.jobs['image']?.env?.['BASE'], '${{ needs.base.outputs.image }}')
    const script = RELEASE.jobs['base']?.steps?.at(-1)?.run ?? ''
    assert.match(script, /\.\/cosign verify "\$image" [^]*\n *echo "image=\$image"/)
  })
})

test('every file of a release is signed, and its notes verify by the whole identity', () => {
  const scripts = RELEASE.jobs['sign']?.steps?.map(({ run = '' }) => run).join('\n') ?? ''
  assert.match(
    scripts,
    /for file in files\/\*; do\n.*sign-blob .*--bundle "\$file\.sigstore\.json"/,
  )
  assert.match(scripts, /gh release upload .* files\/SHA256SUMS files\/\*\.sigstore\.json/)
  const notes = writeNotes({ root: ROOT, version: '0.1.0', isDryRun: true })
  const publish = RELEASE.jobs['publish']?.steps?.map(({ run = '' }) => run).join('\n') ?? ''
  for (const placeholder of ['IMAGE@DIGEST', 'REPOSITORY_URL']) {
    assert.ok(notes.includes(placeholder))
    assert.ok(publish.includes(`s#${placeholder}#`))
  }
  assert.doesNotMatch(notes, /--certificate-identity-regexp/)
  assert.match(notes, /cosign verify-blob .*--certificate-identity \$who/)
})

test('the shipped Node.js is that of the tests, with a checksum for each architecture', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as {
    devDependencies: { node: string }
  }
  const packages = read('package/node.sha256').match(/(?<=^[0-9a-f]{64} {2}).*$/gm)
  const expected = ['x64', 'arm64'].map((name) => `node-linux-${name}@${devDependencies.node}`)
  assert.deepEqual(packages, expected)
})

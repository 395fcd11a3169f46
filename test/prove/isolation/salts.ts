import { createHash, createHmac } from 'node:crypto'
import { modelOn, startEnvironment } from '../../harness/environment.ts'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { openTenant, sendPrompt } from './guess.ts'

const KINDS = ['vllm', 'sglang'] as const
const ORGANIZATIONS = 8

/**
 * The salts that vLLM and SGLang get: one for each organization, the same from two processes, and
 * none that its id leads to. Whether a real engine honours them is tested by its probe, not here.
 */
export async function proveSalts(run: ProofRun): Promise<number> {
  const salts: unknown[] = []
  await using engine = await startFakeEngine(({ body, response }) => {
    salts.push(body['cache_salt'])
    begin(response).end(ROLE + chunk({ content: 'x' }) + ending({ prompt: 9, completion: 1 }))
  })
  const engines = KINDS.map((kind) => ({ name: kind, kind, url: engine.url, model_name: 'm' }))
  await using environment = await startEnvironment({ engines })
  const apis = await environment.startApis(2)
  const callers = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, () => environment.openCaller()),
  )
  const seen = new Map<unknown, string>()
  for (const { key, organizationId } of callers) {
    for (const { apiRoot } of apis)
      for (const kind of KINDS) await sendAndClose(apiRoot, key, modelOn(kind))
    const own = new Set(salts.splice(0))
    const [salt] = own
    if (own.size !== 1 || typeof salt !== 'string' || salt.length < 32)
      run.fail(`an organization has the salts ${[...own].join(' ')}`)
    if (seen.has(salt)) run.fail('two organizations have one salt')
    if (derivedFrom(organizationId).some((text) => String(salt).includes(text)))
      run.fail('a salt can be derived from the id of its organization')
    seen.set(salt, organizationId)
  }
  return seen.size
}

async function sendAndClose(apiRoot: string, key: string, model: string): Promise<void> {
  const tenant = openTenant(apiRoot, key, model)
  await sendPrompt(tenant, 'a text')
  await tenant.line[Symbol.asyncDispose]()
}

/** What somebody could compute who knows an id but no secret. */
function derivedFrom(id: string): string[] {
  const hashes = ['md5', 'sha1', 'sha256'].flatMap((name) => {
    const digests = [createHash(name).update(id), createHmac(name, '').update(id)]
    return digests.flatMap((digest) => {
      const bytes = digest.digest()
      return [bytes.toString('hex'), bytes.toString('base64url').slice(0, 20)]
    })
  })
  return [id, id.replaceAll('-', ''), Buffer.from(id).toString('base64url'), ...hashes]
}

import type { Config } from '../../config/load.ts'
import { DEMO_OPERATOR, DEMO_ORGANIZATION } from './demo-tenants.ts'
import type { Paint } from './print-log.ts'

export type Addresses = {
  readonly apiRoot: string
  /** Signs the operator in. */
  readonly link: string
  readonly key: string
  /** By the part of `headrace dev`. */
  readonly health: Readonly<Record<'api' | 'worker' | 'console', string>>
}

/** What runs where, and what to try first. The link has a line of its own, to be copied. */
export function welcome(config: Config, addresses: Addresses, paint: Paint): string {
  const { apiRoot, link, key } = addresses
  const model = config.models[0]?.id ?? ''
  const messages = '[{"role":"user","content":"What is the capital of France?"}]'
  const rows = runningParts(config, addresses).map(([name, address]) =>
    `  ${paint('dim', name.padEnd(12))}${address}`.trimEnd(),
  )
  return `
${paint('bold', 'Headrace is running. Stop it with Ctrl+C.')}

${rows.join('\n')}

${paint('bold', 'Call the API')} from another terminal:

curl -N ${apiRoot}/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","stream":true,"messages":${messages}}'

or with any OpenAI SDK, which reads these variables:

export OPENAI_BASE_URL=${apiRoot}
export OPENAI_API_KEY=${key}

${paint('bold', 'Run commands')} in another terminal:

npm run headrace -- doctor
npm run headrace -- key list --organization ${DEMO_ORGANIZATION}
npm run headrace -- reload     # after a change of headrace.yaml

${paint('bold', 'Open the console')} as ${DEMO_OPERATOR}; the link works once, within 24 hours:

${link}

`
}

function runningParts(config: Config, { apiRoot, health }: Addresses): [string, string][] {
  const engines = config.engines.map(({ name, kind, url }) => {
    return ['Engine', `${url ?? 'discovered'}  ${name}, ${kind}`] as [string, string]
  })
  return [
    ['API', apiRoot],
    ['Console', config.console.public_url],
    ...Object.entries(health).map(([part, address], at): [string, string] => {
      return [at === 0 ? 'Health' : '', `${address}  ${part}`]
    }),
    ['PostgreSQL', withoutPassword(config.database_url)],
    ['Valkey', config.valkey_urls.map(withoutPassword).join(', ')],
    ...engines,
  ]
}

function withoutPassword(address: string): string {
  const url = new URL(address)
  url.password = ''
  return url.href
}

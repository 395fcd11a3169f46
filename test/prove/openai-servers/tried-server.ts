import type { EnginesReport } from '../../../src/contract/management/operator-system.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { Caller } from '../../harness/seed/tenants.ts'

/** A server that is tried, as the configuration names it. */
export type TriedServer = {
  readonly name: string
  readonly url: string
  readonly model: string
}

export type Answer = {
  readonly status: number
  readonly choices?: {
    readonly finish_reason: string
    readonly message: {
      readonly content: string | null
      readonly tool_calls?: { readonly function: { name: string; arguments: string } }[]
    }
  }[]
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
  readonly error?: { readonly code: string; readonly param: string }
}

/** `NAME=URL=MODEL`, separated by commas. */
export function readServers(text: string): TriedServer[] {
  return text.split(',').map((each) => {
    const [name, url, model] = each.split('=')
    if (!name || !url || !model) throw new Error('--servers wants NAME=URL=MODEL,…')
    return { name, url, model }
  })
}

export async function reportOf(api: HeadraceProcess): Promise<EnginesReport> {
  return (await (await fetch(`${api.healthAddress}/engines`)).json()) as EnginesReport
}

export function sendTo(
  api: HeadraceProcess,
  caller: Caller,
  model: string,
  more: object = {},
  signal?: AbortSignal,
): Promise<Response> {
  const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
  const asked = { model, messages, temperature: 0, max_completion_tokens: 200, ...more }
  return fetch(`${api.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    ...(signal && { signal }),
  })
}

export async function askOf(
  api: HeadraceProcess,
  caller: Caller,
  model: string,
  more: object = {},
): Promise<Answer> {
  const response = await sendTo(api, caller, model, more)
  return { ...((await response.json()) as object), status: response.status }
}

/** A table of servers and capabilities, as Markdown. */
export function tableOf(
  engines: EnginesReport['engines'],
  servers: readonly TriedServer[],
  more: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string {
  const names = servers.map(({ name }) => name)
  const rows = Object.keys(engines[names[0] ?? ''] ?? {})
  const cell = (value: unknown) => (value === true ? 'yes' : value === false ? 'no' : 'unknown')
  const found = rows.map((row) => [
    `\`${row}\``,
    ...names.map((name) => cell(engines[name]?.[row])),
  ])
  const others = Object.keys(more.get(names[0] ?? '') ?? {})
  const seen = others.map((row) => [row, ...names.map((name) => more.get(name)?.[row] ?? '')])
  const lines = [['', ...names], ['---', ...names.map(() => '---')], ...found, ...seen]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

import assert from 'node:assert/strict'
import type { Answer } from '../../api/client.ts'
import { readError, readJson } from '../../api/client.ts'
import type { World } from './world.ts'

/** One sentence of the interface and how to see whether the running service keeps it. */
export type Rule = { readonly id: string; readonly name: string } & (
  | { readonly check: (world: World) => Promise<void> }
  /** Cannot be provoked before the named capability exists. */
  | { readonly pending: string }
)

export const MODEL = 'headrace/pebble'

/** Stands in every message that is sent, so that an error message that repeats it is noticed. */
export const CANARY = 'Canary7f3a'

export const HELLO = [{ role: 'user', content: `Hello ${CANARY}` }] as const

/** A valid request that costs next to nothing. `undefined` in a change leaves a parameter out. */
export function requestWith(change: object): object {
  return { model: MODEL, messages: HELLO, max_completion_tokens: 1, ...change }
}

/** The interface's error rows: status and type by code. */
const ERROR_ROWS: Readonly<Record<string, readonly [status: number, type: string]>> = {
  invalid_json: [400, 'invalid_request_error'],
  invalid_value: [400, 'invalid_request_error'],
  unsupported_parameter: [400, 'invalid_request_error'],
  unsupported_value: [400, 'invalid_request_error'],
  context_length_exceeded: [400, 'invalid_request_error'],
  missing_required_parameter: [400, 'invalid_request_error'],
  malformed_http: [400, 'invalid_request_error'],
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  insufficient_balance: [402, 'billing_error'],
  organization_membership_required: [403, 'permission_error'],
  platform_access_required: [403, 'permission_error'],
  onboarding_pending: [403, 'permission_error'],
  plan_access_denied: [403, 'permission_error'],
  account_restricted: [403, 'permission_error'],
  model_not_found: [404, 'invalid_request_error'],
  unsupported_endpoint: [404, 'invalid_request_error'],
  unsupported_method: [405, 'invalid_request_error'],
  billing_conflict: [409, 'billing_error'],
  request_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  headers_too_large: [431, 'invalid_request_error'],
  internal_error: [500, 'api_error'],
  null: [502, 'upstream_unavailable_error'],
  upstream_credentials_rejected: [502, 'upstream_unavailable_error'],
  rate_limit_unavailable: [503, 'api_error'],
  model_availability_unavailable: [503, 'api_error'],
  infrastructure_rate_limit_exceeded: [503, 'api_error'],
  service_unavailable: [503, 'api_error'],
}

/** Whether an error is one of the rows, and so known to a client that has read them. */
export function isErrorRow(status: number, type: string, code: string | null): boolean {
  const row = ERROR_ROWS[String(code)]
  return row !== undefined && row[0] === status && row[1] === type
}

export function expectError(answer: Answer, code: string | null, param: string | null): void {
  const [status, type] = ERROR_ROWS[String(code)] ?? assert.fail(`no row ${code}`)
  assert.equal(answer.status, status, `status with body ${answer.text.slice(0, 200)}`)
  const { type: shownType, code: shownCode, param: shownParam } = readError(answer)
  assert.deepEqual(
    { type: shownType, code: shownCode, param: shownParam },
    { type, code, param },
    'the error',
  )
}

export function expectAccepted(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 200))
}

export type Completion = {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: number
    readonly message: {
      readonly role: string
      readonly content: string | null
      readonly refusal: null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly {
        readonly id: string
        readonly type: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
    readonly logprobs: null
    readonly finish_reason: string
  }[]
  readonly usage: Usage
}

export type Usage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** The whole of an accepted JSON answer and its only choice. */
export function readCompletion(answer: Answer) {
  expectAccepted(answer)
  const completion = readJson(answer) as Completion
  const [choice] = completion.choices
  assert.ok(choice)
  return { completion, choice, message: choice.message }
}

/** What a change of a valid request leads to: nothing, or a code with the parameter at fault. */
export type Outcome = 'accepted' | readonly [code: string, param: string]

export type BodyCase = readonly [name: string, change: object, outcome: Outcome]

/** Rules about single requests, as data: what is changed in a valid one, and what it leads to. */
export function bodyRules(topic: string, cases: readonly BodyCase[]): Rule[] {
  return cases.map(([name, change, outcome]) => ({
    id: `${topic}/${name.replaceAll(' ', '-')}`,
    name: outcome === 'accepted' ? `${name} is accepted` : `${name} is ${outcome.join(' of ')}`,
    async check({ client }) {
      const answer = await client.chat(requestWith(change))
      if (outcome === 'accepted') expectAccepted(answer)
      else expectError(answer, ...outcome)
    },
  }))
}

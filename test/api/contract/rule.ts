import assert from 'node:assert/strict'
import { readError, readJson, type Answer } from '../client.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import type { ContractApi } from './start.ts'

/** One sentence of the interface and how to see whether the running service keeps it. */
export type Rule = { readonly id: string; readonly name: string } & (
  | { readonly check: Check }
  /** Cannot be provoked before the named capability exists. */
  | { readonly pending: string }
)

export type Check = (api: ContractApi) => Promise<void>

export const MODEL = DEMO_MODEL

/** Part of every message that is sent, so that an error message that repeats it is noticed. */
export const CANARY = 'Canary7f3a'

export const HELLO = [{ role: 'user', content: `Hello ${CANARY}` }] as const

/** A valid request that costs next to nothing. `undefined` in a change removes a parameter. */
export function requestWith(change: object): object {
  return { model: MODEL, messages: HELLO, max_completion_tokens: 1, ...change }
}

/** Rules of one topic, each under its id and its sentence: `falls: remaining falls by one`. */
export function rules(topic: string, checks: Readonly<Record<string, Check>>): Rule[] {
  return Object.entries(checks).map(([title, check]) => {
    const [, id, name] = /^(\S+): (.+)$/.exec(title) ?? []
    if (id === undefined || name === undefined) throw new Error(`a rule without an id: ${title}`)
    return { id: `${topic}/${id}`, name, check }
  })
}

/** The interface's error table: the codes of each status and type. */
const ERROR_ROWS: ReadonlyMap<string, readonly [status: number, type: string]> = new Map(
  (
    [
      [400, 'invalid_request_error', 'invalid_json invalid_value malformed_http'],
      [400, 'invalid_request_error', 'unsupported_parameter unsupported_value'],
      [400, 'invalid_request_error', 'context_length_exceeded missing_required_parameter'],
      [401, 'authentication_error', 'missing_api_key invalid_api_key'],
      [402, 'billing_error', 'insufficient_balance credit_limit_reached'],
      [403, 'permission_error', 'organization_membership_required platform_access_required'],
      [403, 'permission_error', 'onboarding_pending plan_access_denied account_restricted'],
      [403, 'permission_error', 'network_not_allowed organization_suspended'],
      [404, 'invalid_request_error', 'model_not_found unsupported_endpoint'],
      [405, 'invalid_request_error', 'unsupported_method'],
      [409, 'billing_error', 'billing_conflict'],
      [413, 'invalid_request_error', 'request_too_large'],
      [415, 'invalid_request_error', 'unsupported_media_type'],
      [429, 'rate_limit_error', 'rate_limit_exceeded'],
      [431, 'invalid_request_error', 'headers_too_large'],
      [500, 'api_error', 'internal_error'],
      [502, 'upstream_unavailable_error', 'null upstream_credentials_rejected'],
      [503, 'api_error', 'rate_limit_unavailable model_availability_unavailable'],
      [503, 'api_error', 'infrastructure_rate_limit_exceeded service_unavailable'],
    ] as const
  ).flatMap(([status, type, codes]) => codes.split(' ').map((code) => [code, [status, type]])),
)

/** Whether an error is in the table, and so known to a client that has read it. */
export function isErrorRow(status: number, type: string, code: string | null): boolean {
  const row = ERROR_ROWS.get(String(code))
  return row !== undefined && row[0] === status && row[1] === type
}

export function expectError(answer: Answer, code: string | null, param: string | null): void {
  const [status, type] = ERROR_ROWS.get(String(code)) ?? assert.fail(`no row ${code}`)
  assert.equal(answer.status, status, `status with body ${answer.text.slice(0, 200)}`)
  const { message: _, ...shown } = readError(answer)
  assert.deepEqual(shown, { type, code, param }, 'the error')
}

export function expectAccepted(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 200))
}

/** Whole seconds, at least one. */
export function expectRetryAfter({ headers }: Answer): void {
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
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
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
    readonly completion_tokens_details: { readonly reasoning_tokens: number }
  }
}

/** The whole of an accepted JSON answer and its only choice. */
export function readCompletion(answer: Answer) {
  expectAccepted(answer)
  const completion = readJson(answer) as Completion
  const [choice] = completion.choices
  assert.ok(choice)
  return { completion, choice, message: choice.message }
}

/**
 * What a change of a valid request leads to. Without an outcome it is accepted; a parameter alone
 * is the one whose value is invalid; otherwise the code of the error and its parameter.
 */
export type BodyCase = readonly [name: string, change: object, outcome?: Outcome]
type Outcome = string | readonly [code: string, param: string] | undefined

/** Rules about single requests, as data. */
export function bodyRules(topic: string, cases: readonly BodyCase[]): Rule[] {
  return cases.map(([name, change, outcome]) => {
    const error = typeof outcome === 'string' ? (['invalid_value', outcome] as const) : outcome
    return {
      id: `${topic}/${name.replaceAll(' ', '-')}`,
      name: `${name} is ${error?.join(' of ') ?? 'accepted'}`,
      async check(api) {
        const answer = await api.chat(change)
        if (error === undefined) expectAccepted(answer)
        else expectError(answer, ...error)
      },
    }
  })
}

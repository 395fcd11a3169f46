import { errors } from '../words/errors.ts'
import { faultWords } from './fault-words.ts'
import type { ErrorResponse } from './routes.ts'

export type FaultCode = NonNullable<ErrorResponse['error']['code']> | 'unreachable' | null

/** An answer that is an error, or no answer: `unreachable`. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly status: number
  readonly code: FaultCode
  /** The field that the error is about, as the API names it: `spending_limit.amount`. */
  readonly param: string | null
  readonly requestId: string | null
  /** The sentence of the API, which is English and may have what the words leave out. */
  readonly sentence: string | null
  /** Seconds until another attempt makes sense. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    facts: {
      readonly status: number
      readonly code: FaultCode
      readonly param?: string | null
      readonly requestId?: string | null
      readonly sentence?: string | null
      readonly retryAfter?: number | null
    },
  ) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.param = facts.param ?? null
    this.requestId = facts.requestId ?? null
    this.sentence = facts.sentence ?? null
    this.retryAfter = facts.retryAfter ?? null
  }

  /** The service cannot answer now; what is on the screen may stay. */
  get isOutage(): boolean {
    return this.code === 'unreachable' || this.status >= 502
  }
}

export async function faultOf(response: Response): Promise<Fault> {
  const body = (await response.json().catch(() => null)) as ErrorResponse | null
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const code = body?.error.code ?? null
  const text = body?.error.message
  const words = text === undefined ? errors.answered(response.status) : faultWords(text, code)
  return new Fault(words, {
    status: response.status,
    code,
    param: body?.error.param ?? null,
    requestId: response.headers.get('x-request-id'),
    sentence: text ?? null,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  })
}

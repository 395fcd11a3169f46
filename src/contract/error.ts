const PERMISSION = { status: 403, type: 'permission_error' } as const
const AUTHENTICATION = { status: 401, type: 'authentication_error' } as const
const CONFLICT = { status: 409, type: 'invalid_request_error' } as const

/**
 * The only table of errors: those of the data plane, then those that only the management API sends.
 * The key is the name used in this code base; `code` is
 * sent to clients, and is null for a failed engine.
 */
export const ERRORS = {
  invalid_json: { status: 400, type: 'invalid_request_error', code: 'invalid_json' },
  invalid_value: { status: 400, type: 'invalid_request_error', code: 'invalid_value' },
  unsupported_parameter: {
    status: 400,
    type: 'invalid_request_error',
    code: 'unsupported_parameter',
  },
  unsupported_value: { status: 400, type: 'invalid_request_error', code: 'unsupported_value' },
  context_length_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  missing_required_parameter: {
    status: 400,
    type: 'invalid_request_error',
    code: 'missing_required_parameter',
  },
  malformed_http: { status: 400, type: 'invalid_request_error', code: 'malformed_http' },
  missing_api_key: { status: 401, type: 'authentication_error', code: 'missing_api_key' },
  invalid_api_key: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  insufficient_balance: { status: 402, type: 'billing_error', code: 'insufficient_balance' },
  credit_limit_reached: { status: 402, type: 'billing_error', code: 'credit_limit_reached' },
  account_restricted: { status: 403, type: 'permission_error', code: 'account_restricted' },
  platform_access_required: {
    status: 403,
    type: 'permission_error',
    code: 'platform_access_required',
  },
  onboarding_pending: { status: 403, type: 'permission_error', code: 'onboarding_pending' },
  organization_membership_required: {
    status: 403,
    type: 'permission_error',
    code: 'organization_membership_required',
  },
  organization_suspended: {
    status: 403,
    type: 'permission_error',
    code: 'organization_suspended',
  },
  plan_access_denied: { status: 403, type: 'permission_error', code: 'plan_access_denied' },
  network_not_allowed: { status: 403, type: 'permission_error', code: 'network_not_allowed' },
  model_not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  unsupported_endpoint: {
    status: 404,
    type: 'invalid_request_error',
    code: 'unsupported_endpoint',
  },
  unsupported_method: { status: 405, type: 'invalid_request_error', code: 'unsupported_method' },
  request_timeout: { status: 408, type: 'invalid_request_error', code: 'request_timeout' },
  billing_conflict: { status: 409, type: 'billing_error', code: 'billing_conflict' },
  request_too_large: { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    code: 'unsupported_media_type',
  },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  headers_too_large: { status: 431, type: 'invalid_request_error', code: 'headers_too_large' },
  internal_error: { status: 500, type: 'api_error', code: 'internal_error' },
  upstream_unavailable: { status: 502, type: 'upstream_unavailable_error', code: null },
  upstream_credentials_rejected: {
    status: 502,
    type: 'upstream_unavailable_error',
    code: 'upstream_credentials_rejected',
  },
  rate_limit_unavailable: { status: 503, type: 'api_error', code: 'rate_limit_unavailable' },
  model_availability_unavailable: {
    status: 503,
    type: 'api_error',
    code: 'model_availability_unavailable',
  },
  infrastructure_rate_limit_exceeded: {
    status: 503,
    type: 'api_error',
    code: 'infrastructure_rate_limit_exceeded',
  },
  service_unavailable: { status: 503, type: 'api_error', code: 'service_unavailable' },
} as const satisfies Record<string, ErrorRow>

export const MANAGEMENT_ERRORS = {
  unauthenticated: { ...AUTHENTICATION, code: 'unauthenticated' },
  invalid_management_key: { ...AUTHENTICATION, code: 'invalid_management_key' },
  invalid_scim_token: { ...AUTHENTICATION, code: 'invalid_scim_token' },
  invalid_login: { ...AUTHENTICATION, code: 'invalid_login' },
  second_factor_required: { ...PERMISSION, code: 'second_factor_required' },
  confirmation_required: { ...PERMISSION, code: 'confirmation_required' },
  role_required: { ...PERMISSION, code: 'role_required' },
  scope_required: { ...PERMISSION, code: 'scope_required' },
  cross_origin: { ...PERMISSION, code: 'cross_origin' },
  invalid_voucher: { status: 400, type: 'invalid_request_error', code: 'invalid_voucher' },
  not_found: { status: 404, type: 'invalid_request_error', code: 'not_found' },
  already_exists: { ...CONFLICT, code: 'already_exists' },
  already_created: { ...CONFLICT, code: 'already_created' },
  conflict: { ...CONFLICT, code: 'conflict' },
  last_owner: { ...CONFLICT, code: 'last_owner' },
  plan_unknown: { ...CONFLICT, code: 'plan_unknown' },
  precondition_failed: { status: 412, type: 'invalid_request_error', code: 'precondition_failed' },
  too_many_attempts: { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' },
  too_many_declines: { status: 429, type: 'rate_limit_error', code: 'too_many_declines' },
  not_implemented: { status: 501, type: 'invalid_request_error', code: 'not_implemented' },
  change_not_propagated: { status: 503, type: 'api_error', code: 'change_not_propagated' },
} as const satisfies Record<string, ErrorRow>

type ErrorRow = { readonly status: number; readonly type: string; readonly code: string | null }

const ALL_ERRORS = { ...ERRORS, ...MANAGEMENT_ERRORS }

export type ErrorName = keyof typeof ALL_ERRORS

/** The body of every error response, and the data of an error event in a stream. */
export type ErrorBody = {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** What a request needed of a limit, and what was left of it. */
export type CheckedLimit = {
  readonly name: string
  readonly needed: number
  readonly left: number
  readonly of: number
}

type ApiErrorOptions = {
  readonly param?: string | null
  readonly cause?: unknown
  /** Further response headers, such as Retry-After. Ignored once a stream has started. */
  readonly headers?: Readonly<Record<string, string>>
  /** The limits that the request exceeded. Not sent; its organization can look them up. */
  readonly limits?: readonly string[]
  /** All limits that were checked, if they refused the request. Not sent either. */
  readonly checked?: readonly CheckedLimit[]
}

/** An error for the client. `message` is public; `cause` is only logged. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: ErrorName
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly limits: readonly string[]
  readonly checked: readonly CheckedLimit[]

  constructor(kind: ErrorName, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.param = options.param ?? null
    this.headers = options.headers ?? {}
    this.limits = options.limits ?? []
    this.checked = options.checked ?? []
  }

  get status(): number {
    return ALL_ERRORS[this.kind].status
  }

  body(): ErrorBody {
    const { type, code } = ALL_ERRORS[this.kind]
    return { error: { message: this.message, type, param: this.param, code } }
  }
}

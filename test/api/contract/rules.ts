import { CAPACITY } from './capacity.ts'
import { CREDENTIALS } from './credentials.ts'
import { ENDPOINTS_AND_BODIES } from './endpoints.ts'
import { ENGINE_FAILURES } from './engine-failures.ts'
import { LENGTHS } from './lengths.ts'
import { MESSAGES } from './messages.ts'
import { PARAMETERS } from './parameters.ts'
import { REPLIES } from './replies.ts'
import type { Rule } from './rule.ts'
import { SERVICE_FAILURES } from './service-failures.ts'
import { STREAMS } from './streams.ts'
import { TOOLS_AND_FORMATS } from './tools.ts'

/** Rules are independent of each other; a few at once keep the engine busy. */
export const RULES_AT_ONCE = 4

/** Every rule of the interface, but for those about every answer, which are checked last. */
export const RULES: readonly Rule[] = [
  ...PARAMETERS,
  ...MESSAGES,
  ...TOOLS_AND_FORMATS,
  ...LENGTHS,
  ...REPLIES,
  ...STREAMS,
  ...CREDENTIALS,
  ...CAPACITY,
  ...ENDPOINTS_AND_BODIES,
  ...ENGINE_FAILURES,
  ...SERVICE_FAILURES,
]

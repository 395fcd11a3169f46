import type { Config } from './schema.ts'

/** Of both kinds of process and of commands: the stores, without which nothing works. */
const STORES = ['database_url', 'valkey_urls'] as const
const SIGNING = ['signing_key', 'accepted_signing_keys'] as const
const PAYMENTS = ['stripe_key', 'stripe_webhook_secrets'] as const
const CONTENT = ['content_key', 'accepted_content_keys'] as const

/**
 * The settings with secrets that each process reads; `engines` are the keys of engines. It reads no
 * others, so a deployment need not give it more: whoever takes over the API has no mail server, and
 * whoever takes over the worker can sign nothing.
 */
export const SECRETS_OF = {
  api: [...STORES, ...SIGNING, ...CONTENT, 'tracing_headers', 'engines'],
  // It reads the counters of engines.
  worker: [...STORES, 'engines'],
  // Of the content key it only tells whether there is one.
  console: [...STORES, ...SIGNING, 'content_key', 'smtp_url', ...PAYMENTS],
  migrate: STORES,
  // Commands that ask no engine run wherever the console does.
  command: [...STORES, ...SIGNING, ...CONTENT, 'smtp_url'],
} as const satisfies Readonly<Record<string, readonly (keyof Config)[]>>

export type SecretReader = keyof typeof SECRETS_OF

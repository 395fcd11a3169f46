import { startEnvironment, type Environment } from '../../harness/environment.ts'
import { PUBLIC_URL } from '../../harness/processes/console.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { urlForProcess } from '../../harness/servers/database.ts'
import { startPostgres, type PostgresServer } from '../../harness/servers/postgres-server.ts'
import { startCommitWay, type CommitWay } from './commit-way.ts'

const CONSOLES = 2
export const WEBHOOK_SECRET = 'whsec_proof_0123456789abcdef'

const SETTINGS = { port: 0, health_port: 0, public_url: PUBLIC_URL }

/** Consoles reach their database by a way that breaks at commits. The proof itself does not. */
export type PaidSetting = {
  readonly environment: Environment
  readonly consoles: readonly HeadraceProcess[]
  readonly server: PostgresServer
  readonly way: CommitWay
}

export async function startPaidSetting(
  stack: AsyncDisposableStack,
  api_url: string,
  tax: 'none' | 'provider',
): Promise<PaidSetting> {
  // Without it a killed server forgets what it has confirmed.
  const server = stack.use(await startPostgres({ settings: ['synchronous_commit=on'] }))
  const way = stack.use(await startCommitWay(server.url))
  const environment = stack.use(
    await startEnvironment({
      engines: [],
      databaseUrl: server.url,
      sections: {
        models: [],
        console: SETTINGS,
        payments: { provider: 'stripe', tax, api_url, page_hosts: ['127.0.0.1'] },
      },
      environment: {
        HEADRACE_STRIPE_KEY: 'rk_test_0123456789abcdef',
        HEADRACE_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
      },
    }),
  )
  const HEADRACE_DATABASE_URL = urlForProcess(way.url, 'console')
  const consoles = await Promise.all(
    Array.from({ length: CONSOLES }, async () =>
      environment.startConsole({ HEADRACE_DATABASE_URL }),
    ),
  )
  return { environment, consoles, server, way }
}

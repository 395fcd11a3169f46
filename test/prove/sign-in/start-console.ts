import { PUBLIC_URL } from '../../harness/processes/console.ts'
import { startEnvironment, type Environment } from '../../harness/environment.ts'
import type { MailServer } from '../../harness/servers/smtp.ts'

export type ProxiedConsole = { readonly root: string; readonly environment: Environment }

/** A console behind a proxy: clients choose their network by X-Forwarded-For. Null: no email. */
export async function startProxiedConsole(
  mail: Pick<MailServer, 'url'> | null,
  settings: object = {},
): Promise<ProxiedConsole & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const environment = starting.use(
    await startEnvironment({
      valkey: 'own',
      engines: [],
      sections: {
        models: [],
        console: {
          port: 0,
          health_port: 0,
          public_url: PUBLIC_URL,
          trusted_proxies: 1,
          ...(mail !== null && { email_from: 'no-reply@example.com' }),
          ...settings,
        },
      },
      ...(mail !== null && { environment: { HEADRACE_SMTP_URL: mail.url } }),
    }),
  )
  const { apiRoot: root } = await environment.startConsole()
  const running = starting.move()
  return { root, environment, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

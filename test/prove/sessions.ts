// After a right was taken away, no console process grants it any more.
// covers: src/platform/sign-in/sessions/** src/platform/members/** src/store/sign-in/**
//   src/platform/scim/** src/platform/sign-in/sso/end-at-provider.ts
//   src/platform/sign-in/identity/oidc-logout.ts
import { startEnvironment } from '../harness/environment.ts'
import { PUBLIC_URL } from '../harness/processes/console.ts'
import { openConsoleClient } from '../harness/clients/console-clients.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { runProof } from '../harness/proof.ts'
import { LOSSES, openSubject } from './sessions/losses.ts'
import { openProviderLosses } from './sessions/provider-losses.ts'

const PROCESSES = 3
const CLIENTS_PER_PROCESS = 2
const CALLS = 10_000
const CALLS_SHORT = 1_500
/** Calls after each change. */
const CALLS_PER_CHANGE = 60

const CONSOLE = {
  port: 0,
  health_port: 0,
  public_url: PUBLIC_URL,
  private_issuer_hosts: ['localhost'],
}

await runProof('sessions', async (run) => {
  await using environment = await startEnvironment({
    valkey: 'own',
    engines: [],
    sections: { models: [], console: CONSOLE },
  })
  const { postgres } = environment
  await using provider = await openProviderLosses()
  const losses = [...LOSSES, ...provider.losses]
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, () => environment.startConsole()),
  )
  const roots = processes.map(({ apiRoot }) => apiRoot)
  await using stack = new AsyncDisposableStack()
  const clients = roots.flatMap((root) =>
    Array.from({ length: CLIENTS_PER_PROCESS }, () => stack.use(openConsoleClient(root))),
  )
  const total = run.short ? CALLS_SHORT : CALLS
  const count = { checked: 0, granted: 0, late: 0, changes: 0 }
  while (count.checked < total) {
    const loss = losses[count.changes % losses.length]!
    count.changes += 1
    const subject = await openSubject(postgres, loss)
    const state = { answered: false, left: CALLS_PER_CHANGE }
    const callers = clients.map(async (client) => {
      while (state.left > 0) {
        // Read before the call is sent: only then it began after the answer.
        const isAfter = state.answered
        const { status, text } = await client.send(loss.method, subject.path, subject.call)
        const isGranted = status < 300
        if (!isAfter) {
          if (isGranted) count.granted += 1
          continue
        }
        state.left -= 1
        count.checked += 1
        if (!isGranted) continue
        count.late += 1
        run.fail(`${loss.name}: ${status} after the change was answered: ${text.slice(0, 100)}`)
      }
    })
    const grantedBefore = count.granted
    const isGranted = () => count.granted >= grantedBefore + clients.length
    await waitUntil('calls that are granted before the loss', isGranted, 30_000, { pollMs: 5 })
    await loss.take({ postgres, root: roots[count.changes % roots.length]!, subject })
    state.answered = true
    await Promise.all(callers)
  }
  for (const { crashes } of processes) if (crashes > 0) run.fail('a process crashed')
  const { changes, granted, checked, late } = count
  return { processes: PROCESSES, changes, granted_before: granted, calls_after: checked, late }
})

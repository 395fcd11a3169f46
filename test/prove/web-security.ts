// Nothing that others wrote becomes active in the console, and its secrets stay in memory.
// covers: web/src/** src/platform/web/** src/http/security-headers.ts
import { runProof } from '../harness/proof.ts'
import { seedPages } from '../harness/seed/seed-pages.ts'
import { openWeb } from '../harness/browser/web.ts'
import { framePages } from './web-security/frame-pages.ts'
import { keepSecrets } from './web-security/keep-secrets.ts'
import { seedHostile } from './web-security/seed-hostile.ts'
import { showErrors } from './web-security/show-errors.ts'
import { showModelOutput } from './web-security/show-model-output.ts'
import { VECTORS } from './web-security/vectors.ts'
import { walkPages } from './web-security/walk-pages.ts'

const FUZZED = 400
const SOAK_FACTOR = 50

await runProof('web-security', async (run) => {
  const logs: string[] = []
  await using web = await openWeb({ worker: true, onLog: (line) => logs.push(line) })
  const seeded = await seedPages(web.environment)
  await seedHostile(web.environment, seeded)
  const { documents, fuzzed } = await showModelOutput(
    run,
    web.browser,
    run.soak ? FUZZED * SOAK_FACTOR : FUZZED,
  )
  const framed = await framePages(run, web, seeded)
  const { pages, shown } = await walkPages(run, web, seeded)
  const errors = await showErrors(run, web, seeded)
  const { secrets, places } = await keepSecrets(run, web, seeded, logs)
  return {
    pages,
    vectors: VECTORS.length,
    names_shown: shown,
    errors_shown: errors,
    documents,
    fuzzed,
    framed,
    secrets,
    places,
  }
})

// The whole story of the console in a real browser, from sign-up to the audit log.
// covers: web/src/** src/platform/**
import { actionName } from '../../web/src/words/action-names.ts'
import { runProof } from '../harness/proof.ts'
import { admit, register, signUp } from './story/arrival.ts'
import { openBench } from './story/bench.ts'
import { callWithSdk, createFirstKey, revokeKey } from './story/keys.ts'
import { explainRefusal, explainRequest, seeUsage } from './story/observe.ts'
import { gatherPeople, showPages } from './story/people.ts'
import { meetLimit, talkWithTool } from './story/playground.ts'
import { connectProvider, invite, join, readAudit, signInWithSso } from './story/team.ts'

/** What the story did to the organization, as the audit log names it. */
const DEEDS = [
  'account.register',
  'key.create',
  'playground.open',
  'key.revoke',
  'invitation.create',
  'invitation.join',
  'sso_connection.create',
  'domain.create',
  'domain.verify',
  'session.create',
].map(actionName)

await runProof('story', async (run) => {
  await using bench = await openBench()
  const people = await gatherPeople(bench)
  const tally = { chapters: 0 }
  const chapter = async <Told>(name: string, tell: () => Promise<Told>): Promise<Told> => {
    const since = performance.now()
    const told = await tell().catch(async (error: unknown) => {
      await showPages(bench, people)
      throw error
    })
    tally.chapters += 1
    console.log(`${name}: ${((performance.now() - since) / 1000).toFixed(1)} s`)
    return told
  }
  await chapter('sign up, verify, wait', () => signUp(bench, people))
  await chapter('an operator admits', () => admit(bench, people))
  await chapter('registration', () => register(bench, people))
  const key = await chapter('the first key', () => createFirstKey(bench, people))
  const sent = await chapter('an SDK uses it', () => callWithSdk(bench, key))
  await chapter('usage', () => seeUsage(bench, people, sent))
  await chapter('the request is explained', () => explainRequest(bench, people, sent))
  await chapter('playground with a tool', () => talkWithTool(bench, people))
  const refused = await chapter('a limit', () => meetLimit(bench, people, key))
  await chapter('the refusal is explained', () => explainRefusal(bench, people, refused))
  await chapter('the key is revoked', () => revokeKey(bench, people, key))
  const link = await chapter('an invitation', () => invite(bench, people))
  const hidden = await chapter('a viewer joins', () => join(bench, people, link))
  await chapter('an identity provider', () => connectProvider(bench, people))
  await chapter('SSO', () => signInWithSso(bench, people))
  const missing = await chapter('audit', () => readAudit(bench, people, DEEDS))
  for (const what of missing) run.fail(`the audit log lacks: ${what}`)
  for (const what of bench.violations) run.fail(`policy violated on ${what}`)
  for (const what of bench.pageErrors) run.fail(`error on ${what}`)
  const { violations, pageErrors } = bench
  return {
    chapters: tally.chapters,
    pages_hidden_from_viewer: hidden.length,
    deeds_in_audit: DEEDS.length - missing.length,
    violations: violations.length,
    page_errors: pageErrors.length,
  }
})

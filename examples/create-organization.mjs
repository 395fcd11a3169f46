// Sets up an organization with the management API, step by step. Needs Node 18 or newer.
//
//   export CONSOLE=https://console.example          # the value of console.public_url
//
//   # As operator, with a platform management key that has the scope platform:write:
//   MANAGEMENT_KEY=headrace_mk_… node create-organization.mjs organization acme jane@example.com
//
//   # As owner or admin, with a management key of the organization (keys:write, usage:read):
//   MANAGEMENT_KEY=headrace_mk_… node create-organization.mjs key acme deployment
//   MANAGEMENT_KEY=headrace_mk_… node create-organization.mjs usage acme
//
// Each step prints its answer as JSON. An API key is shown only once: store it.

const { CONSOLE, MANAGEMENT_KEY } = process.env

async function call(method, path, body) {
  const response = await fetch(`${CONSOLE}/management/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${MANAGEMENT_KEY}`,
      'content-type': 'application/json',
      // The step can be repeated after a lost connection without creating a second thing.
      ...(method === 'POST' && { 'idempotency-key': JSON.stringify([path, body]) }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (response.ok) return answer
  throw new Error(`${answer.error.message} (${response.headers.get('x-request-id')})`)
}

const STEPS = {
  organization: (slug, owner) =>
    call('POST', '/operator/organizations', { slug, ...(owner && { owner }) }),
  key: (organization, name) => call('POST', `/organizations/${organization}/keys`, { name }),
  usage: (organization) => call('GET', `/organizations/${organization}/usage?by=model`),
}

const [name = '', ...values] = process.argv.slice(2)
const step = STEPS[name]
if (step === undefined || !CONSOLE || !MANAGEMENT_KEY) {
  console.error('Set CONSOLE and MANAGEMENT_KEY, and give a step: organization, key or usage.')
  process.exit(64)
}
try {
  console.log(JSON.stringify(await step(...values), null, 2))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

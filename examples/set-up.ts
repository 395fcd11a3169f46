// Brings an organization to a described state: set-up as code, by the management API. It can be
// repeated: what is there already stays as it is. Needs Node 22.18 or newer and no packages.
//
//   export CONSOLE=https://console.example    # the value of console.public_url
//   export MANAGEMENT_KEY=headrace_mk_…       # of the organization; scopes: see below
//   node set-up.ts acme.json
//
// acme.json:
//   {
//     "organization": "acme",
//     "projects": [{ "name": "search", "spending_limit": "50.00" }],
//     "keys": [{ "name": "search production", "project": "search", "models": null }],
//     "members": [{ "email": "jane@example.com", "role": "admin" }]
//   }
//
// Scopes: projects:read, projects:write, keys:read, keys:write, members:read, members:write, and
// those that the roles of the members have. New keys are printed once, as JSON: store them.
import { readFileSync } from 'node:fs'

type Project = { name: string; spending_limit?: string | null }
type Key = { name: string; project?: string; models?: string[] | null; expires_at?: string | null }
type Member = { email: string; role: 'owner' | 'admin' | 'member' | 'viewer' }
type Wanted = { organization: string; projects?: Project[]; keys?: Key[]; members?: Member[] }
type Money = { amount: string }
type Found = {
  id: string
  name: string
  email: string
  role: string
  archived_at: string | null
  spending_limit: Money | null
  project: { name: string }
}
type Page = { data: Found[]; next: string | null }

const { CONSOLE, MANAGEMENT_KEY } = process.env

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${CONSOLE}/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Answer & { error?: { message: string } }
  if (response.ok) return answer
  const id = response.headers.get('x-request-id')
  throw new Error(`${method} ${path}: ${answer.error?.message} (${id})`)
}

async function listAll(path: string): Promise<Found[]> {
  const found: Found[] = []
  for (let after: string | null = ''; after !== null;) {
    const query: string = after === '' ? '' : `${path.includes('?') ? '&' : '?'}after=${after}`
    const page: Page = await call<Page>('GET', `${path}${query}`)
    found.push(...page.data)
    after = page.next
  }
  return found
}

const moneyOf = (amount: string | null | undefined) => (amount ? { amount } : null)
const sameAmount = (one: Money | null, other: Money | null) =>
  Number(one?.amount ?? -1) === Number(other?.amount ?? -1)

async function setUpProjects(root: string, wanted: readonly Project[]): Promise<void> {
  const found = (await listAll(`${root}/projects`)).filter((each) => each.archived_at === null)
  for (const { name, spending_limit: amount } of wanted) {
    const known = found.find((each) => each.name === name)
    const limit = moneyOf(amount)
    if (known === undefined) {
      await call('POST', `${root}/projects`, { name, spending_limit: limit })
      console.error(`created project ${name}`)
    } else if (amount !== undefined && !sameAmount(known.spending_limit, limit)) {
      await call('PATCH', `${root}/projects/${known.id}`, { spending_limit: limit })
      console.error(`changed the spending limit of ${name}`)
    }
  }
}

async function setUpKeys(root: string, wanted: readonly Key[]): Promise<void> {
  const found = await listAll(`${root}/keys?state=active`)
  for (const key of wanted) {
    const project = key.project ?? 'default'
    if (found.some((each) => each.name === key.name && each.project.name === project)) continue
    const { key: secret } = await call<{ key: string }>('POST', `${root}/keys`, key)
    console.error(`created key ${key.name}`)
    console.log(JSON.stringify({ name: key.name, project, key: secret }))
  }
}

async function setUpMembers(root: string, wanted: readonly Member[]): Promise<void> {
  const known = [...(await listAll(`${root}/members`)), ...(await listAll(`${root}/invitations`))]
  for (const { email, role } of wanted) {
    const found = known.find((each) => each.email === email)
    if (found !== undefined && found.role !== role)
      console.error(`${email} is ${found.role}, not ${role}: change it in the console`)
    if (found !== undefined) continue
    await call('POST', `${root}/invitations`, { email, role })
    console.error(`invited ${email} as ${role}`)
  }
}

const [file] = process.argv.slice(2)
if (file === undefined || !CONSOLE || !MANAGEMENT_KEY) {
  console.error('Set CONSOLE and MANAGEMENT_KEY, and give a file.')
  process.exit(64)
}
try {
  const wanted = JSON.parse(readFileSync(file, 'utf8')) as Wanted
  const root = `/organizations/${wanted.organization}`
  await setUpProjects(root, wanted.projects ?? [])
  await setUpKeys(root, wanted.keys ?? [])
  await setUpMembers(root, wanted.members ?? [])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

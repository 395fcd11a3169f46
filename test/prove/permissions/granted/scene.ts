import {
  ask,
  type Answer,
  type Person,
  type TestConsole,
} from '../../../harness/processes/console.ts'
import type { Asking } from '../../../harness/clients/console-members.ts'

/** An organization in which somebody makes a thing and then loses the right to it. */
export type Scene = {
  readonly console_: TestConsole
  readonly apiRoot: string
  readonly organizationId: string
  readonly projectId: string
  /** Stays an owner. */
  readonly owner: Person
  /** Makes the thing as an owner. */
  readonly maker: Person
  readonly operator: Person
}

export async function openScene(console_: TestConsole, apiRoot: string): Promise<Scene> {
  const { id: organizationId, projectId } = await console_.openOrganization()
  const role = { organizationId, role: 'owner' } as const
  const [owner, maker] = [await console_.openPerson(role), await console_.openPerson(role)]
  const operator = await console_.openPerson({ platformRole: 'operator' })
  return { console_, apiRoot, organizationId, projectId, owner, maker, operator }
}

/** Asks a route, of the organization if the path begins with a dot. */
export function askIn(
  { console_, organizationId }: Scene,
  who: Pick<Person, 'as'>,
  method: string,
  path: string,
  asking: Asking = {},
): Promise<Answer> {
  const whole = path.replace(/^\./, `/organizations/${organizationId}`)
  return ask(console_.root, method, whole, { as: who.as, ...asking })
}

/** The same where it must succeed. */
export async function must(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer
  if (status >= 400) throw new Error(`answered ${status} ${text}`)
  return answer
}

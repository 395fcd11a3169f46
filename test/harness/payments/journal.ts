import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** An object as Stripe sends it. */
export type StripeObject = { readonly id: string; readonly object: string } & Record<
  string,
  unknown
>

export type StripeEvent = {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly data: { readonly object: StripeObject }
} & Record<string, unknown>

export type SavedAnswer = {
  readonly request: string
  readonly status: number
  readonly answer: unknown
}

type Change =
  | { readonly put: StripeObject }
  | { readonly remove: string }
  | { readonly event: StripeEvent }
  | { readonly key: string; readonly saved: SavedAnswer }

/** What the scripted provider knows. It outlives SIGKILL: one line per request, all or nothing. */
export type Journal = {
  readonly objects: ReadonlyMap<string, StripeObject>
  readonly events: readonly StripeEvent[]
  readonly saved: ReadonlyMap<string, SavedAnswer>
  note(change: Change): void
  /** Writes what was noted since, before anybody gets an answer. */
  commit(): void
}

export function openJournal(file: string): Journal {
  const objects = new Map<string, StripeObject>()
  const events: StripeEvent[] = []
  const saved = new Map<string, SavedAnswer>()
  let noted: Change[] = []
  const apply = (change: Change) => {
    if ('put' in change) objects.set(change.put.id, change.put)
    else if ('remove' in change) objects.delete(change.remove)
    else if ('event' in change) events.push(change.event)
    else saved.set(change.key, change.saved)
  }
  if (existsSync(file))
    for (const line of readFileSync(file, 'utf8').split('\n'))
      if (line !== '') for (const change of JSON.parse(line) as Change[]) apply(change)
  return {
    objects,
    events,
    saved,
    note(change) {
      noted.push(change)
      apply(change)
    },
    commit() {
      if (noted.length > 0) appendFileSync(file, `${JSON.stringify(noted)}\n`)
      noted = []
    },
  }
}

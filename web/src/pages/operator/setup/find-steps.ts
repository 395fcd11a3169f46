import type { Configuration } from '../../../api/routes.ts'
import { stateOf, type EngineRow } from '../engines/merge-engines.ts'

export const STEPS = ['engine', 'model', 'test', 'access', 'operators'] as const
export type StepName = (typeof STEPS)[number]

/** What the service reports about itself. */
export type Facts = {
  readonly engines: readonly EngineRow[]
  /** A request of an organization of the operator was answered. */
  readonly isTested: boolean
  readonly settings: Configuration['settings']
  readonly hasSecondFactor: boolean
  readonly operators: number
}

export type AccessFact = 'public_url' | 'api_url' | 'email_from' | 'contact'

/** The settings that people outside depend on, and whether each is there. */
export function findAccess(settings: Configuration['settings']): Record<AccessFact, boolean> {
  const { console: given = {} } = settings as {
    readonly console?: Readonly<Partial<Record<AccessFact, string>>>
  }
  const isSet = (name: AccessFact) => (given[name] ?? '') !== ''
  return {
    public_url: given.public_url?.startsWith('https://') === true,
    api_url: isSet('api_url'),
    email_from: isSet('email_from'),
    contact: isSet('contact'),
  }
}

const isReady = (engine: EngineRow) => stateOf(engine) === 'ready'

/** Which steps of the first run are done. */
export function findSteps(facts: Facts): Readonly<Record<StepName, boolean>> {
  const ready = facts.engines.filter(isReady)
  return {
    engine: ready.length > 0,
    model: ready.some(({ models }) => models.length > 0),
    test: facts.isTested,
    access: Object.values(findAccess(facts.settings)).every(Boolean),
    operators: facts.hasSecondFactor && facts.operators > 1,
  }
}

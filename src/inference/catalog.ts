import type { Neutralise } from '../engines/adapters/neutralise.ts'
import type { Model } from '../contract/model.ts'
import { promptTokensMaxOf, type TemplateCost } from '../contract/prompt-bound.ts'
import { mayUse, type Caller } from '../tenancy/caller.ts'
import type { Estimate } from './estimate.ts'
import type { TimeLimits } from './generation-timeouts.ts'

/** What the engines of a model can do; see `Ability`. */
export type ModelAbilities = {
  readonly tool_choice: boolean
  readonly json_schema: boolean
  readonly reasoning: boolean
  readonly context: boolean
}

/** A model as the operator serves it: what clients see, and internal settings. */
export type ServedModel = {
  readonly model: Model
  /** Whether every earlier assistant message must carry its reasoning. */
  readonly reasoningHistory: 'required' | 'optional'
  /** Whether answers end at the strings in `stop`. */
  readonly stop: 'ignored' | 'applied'
  readonly timeLimits: TimeLimits
  readonly neutralise: Neutralise
  /** What its chat template adds to a prompt, as far as its engines have told by now. */
  readonly templateCost: () => TemplateCost
  /** By the id of an organization; undefined if no engine of the model serves it. */
  readonly abilitiesFor: (organizationId: string) => ModelAbilities | undefined
  /** Ids of models that may answer while no engine of this one is ready. */
  readonly fallback: readonly string[]
  /** Whether it is not known if any engine serves it: where they are listed was never readable. */
  readonly isUnknown: boolean
}

/** An upper bound on the tokens of a prompt, before `neutralise`. */
export function promptTokensMax(
  { size }: Pick<Estimate, 'size'>,
  { templateCost }: Pick<ServedModel, 'templateCost'>,
): number {
  return promptTokensMaxOf(size, templateCost())
}

/** By id and by alias. */
export type Catalog = ReadonlyMap<string, ServedModel>

/** The model if it is served, not shut down, and allowed by plan and key. */
export function findModel(
  id: string,
  caller: Caller,
  catalog: Catalog,
  nowMs: number,
): ServedModel | undefined {
  const served = catalog.get(id)
  return served !== undefined && isAvailable(served, caller, nowMs) ? served : undefined
}

export function availableModels(caller: Caller, catalog: Catalog, nowMs: number): Model[] {
  const all = new Set(catalog.values())
  const available = [...all].filter((served) => isAvailable(served, caller, nowMs))
  return available.map((served) => announcedModel(served, caller))
}

/** The model without what not all of its engines can do. */
export function announcedModel({ model, abilitiesFor }: ServedModel, caller: Caller): Model {
  if (model.reasoning === undefined || abilitiesFor(caller.organizationId)?.reasoning === true)
    return model
  const { reasoning: _, ...rest } = model
  return rest
}

function isAvailable(served: ServedModel, caller: Caller, nowMs: number): boolean {
  const { model, abilitiesFor } = served
  if (!mayUse(caller, model.id) || abilitiesFor(caller.organizationId) === undefined) return false
  return model.shutdown_date === null || nowMs < Date.parse(model.shutdown_date)
}

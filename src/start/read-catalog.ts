import type { Config } from '../config/load.ts'
import type { Model } from '../contract/model.ts'
import type { TemplateCost } from '../contract/prompt-bound.ts'
import { keepText } from '../engines/adapters/neutralise.ts'
import type { Vocabularies } from './read-vocabularies.ts'
import type { Catalog, ServedModel } from '../inference/catalog.ts'

type CatalogParts = {
  readonly unknownModels: ReadonlySet<string>
  /** What the chat template of a model adds to prompts, by its id. */
  readonly templateCostOf: (modelId: string) => () => TemplateCost
  readonly abilitiesOf: (modelId: string) => ServedModel['abilitiesFor']
}

/** Converts the configured models to the catalog of the data plane, by ids and aliases. */
export function readCatalog(
  config: Config,
  vocabularies: Vocabularies,
  { unknownModels, templateCostOf, abilitiesOf }: CatalogParts,
): Catalog {
  return new Map(
    config.models.flatMap((settings) => {
      const isUnknown = unknownModels.has(settings.id)
      const templateCost = templateCostOf(settings.id)
      const found = { isUnknown, templateCost, abilitiesFor: abilitiesOf(settings.id) }
      const served = { ...servedModel(settings, vocabularies), ...found }
      return [settings.id, ...settings.aliases].map((id) => [id, served] as const)
    }),
  )
}

type ModelSettings = Config['models'][number]

function servedModel(
  settings: ModelSettings,
  vocabularies: Vocabularies,
): Omit<ServedModel, 'isUnknown' | 'templateCost' | 'abilitiesFor'> {
  const { reasoning_history: reasoningHistory, fallback, stop } = settings
  const timeLimits = {
    firstTokenMs: settings.first_token_seconds * 1000,
    idleMs: settings.idle_seconds * 1000,
    totalMs: settings.total_seconds * 1000,
  }
  const neutralise = vocabularies.get(settings.id)?.neutralise ?? keepText
  const own = { reasoningHistory, timeLimits, neutralise, fallback, stop }
  return { model: shownModel(settings), ...own }
}

/** Unset properties are omitted, not null. */
function shownModel(settings: ModelSettings): Model {
  const { id, created, owned_by, shutdown_date, reasoning } = settings
  const { context_length, max_output_tokens, default_parameters } = settings
  return {
    id,
    object: 'model',
    created,
    owned_by,
    shutdown_date,
    ...(context_length === undefined ? {} : { context_length }),
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    ...(default_parameters === undefined ? {} : { default_parameters }),
    ...(reasoning === undefined ? {} : { reasoning: shownReasoning(reasoning) }),
  }
}

/** A model that has no effort `none` cannot be asked to answer at once. */
function shownReasoning(reasoning: NonNullable<ModelSettings['reasoning']>) {
  const efforts = [...reasoning.supported_efforts]
  return { ...reasoning, supported_efforts: efforts, mandatory: !efforts.includes('none') }
}

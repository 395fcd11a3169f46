import type { PoolState } from '../../../contract/management/operator-system.ts'
import { createEngineFigures, type EngineFigures } from './engine-figures.ts'
import { createPoolFigures, type PoolFigures } from './pool-figures.ts'

/** What operators see of the work of a fleet: figures of each engine and of each model's queue. */
export type FleetFigures = {
  /** By the engine's name. */
  ofEngine(name: string): EngineFigures
  ofPool(modelId: string): PoolFigures
  dropEngine(name: string): void
  dropPool(modelId: string): void
  viewPool(
    modelId: string,
    queue: { readonly waiting: number; readonly expectedWaitMs: number },
  ): PoolState
}

/** Holds one entry for each engine and model in use, never one for a name that a client sent. */
export function createFleetFigures(): FleetFigures {
  const engines = new Map<string, EngineFigures>()
  const pools = new Map<string, PoolFigures>()
  const ofPool = (modelId: string) => find(pools, modelId, createPoolFigures)
  return {
    ofEngine: (name) => find(engines, name, createEngineFigures),
    ofPool,
    dropEngine: (name) => void engines.delete(name),
    dropPool: (modelId) => void pools.delete(modelId),
    viewPool: (modelId, { waiting, expectedWaitMs }) => ({
      waiting,
      expected_wait_seconds: expectedWaitMs / 1000,
      ...ofPool(modelId).view(),
    }),
  }
}

function find<Figures>(known: Map<string, Figures>, name: string, create: () => Figures): Figures {
  const found = known.get(name)
  if (found !== undefined) return found
  const created = create()
  known.set(name, created)
  return created
}

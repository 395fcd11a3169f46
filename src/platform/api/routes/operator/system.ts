import {
  Configuration,
  EngineOrder,
  EnginesOfProcesses,
  NewEngineOrder,
  Plans,
  Processes,
} from '../../../../contract/management/operator-system.ts'
import { listEngines } from '../../../operator/list-engines.ts'
import { orderEngine } from '../../../operator/order-engine.ts'
import { listPlans } from '../../../operator/list-plans.ts'
import { listProcesses } from '../../../operator/list-processes.ts'
import { showConfiguration } from '../../../operator/show-configuration.ts'
import { defineRoute, type Route } from '../../route.ts'

export const OPERATOR_SYSTEM_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/operator/processes',
    summary: 'List the processes, and which of them are unreachable or configured differently.',
    does: listProcesses,
    status: 200,
    answer: Processes,
    input: () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/engines',
    summary: 'List the engines as each API process sees them.',
    does: listEngines,
    status: 200,
    answer: EnginesOfProcesses,
    input: () => ({}),
  }),
  defineRoute({
    method: 'PUT',
    path: '/operator/engines/{engine}/order',
    summary: 'Drain, disable or enable an engine. Every API process follows within 250 ms.',
    does: orderEngine,
    body: NewEngineOrder,
    status: 200,
    answer: EngineOrder,
    input: ({ path, body }) => ({ engine: path['engine']!, ...body }),
    example: { body: { state: 'draining', note: 'new driver' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/plans',
    summary: 'List the plans of the configuration.',
    does: listPlans,
    status: 200,
    answer: Plans,
    input: () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/configuration',
    summary: 'Show the configuration in force, with secrets masked.',
    does: showConfiguration,
    status: 200,
    answer: Configuration,
    input: () => ({}),
  }),
]

import { ProcessStatus, type Process } from '../../contract/management/operator-system.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { askProcesses } from './ask-processes.ts'

/** Every process that the configuration names, and the one that answers. */
export const listProcesses = defineRead(
  { action: 'process.list', permission: 'platform:read' },
  async ({ environment }, _input: object) => ({ data: await readProcesses(environment) }),
)

export async function readProcesses({ settings, self }: Environment): Promise<Process[]> {
  const urls = settings.console.api_health_urls
  const others = await askProcesses(urls, '/status', ProcessStatus)
  return [
    { url: null, reachable: true, status: self, differs: false },
    ...others.map(({ url, reachable, answer }) => ({
      url,
      reachable,
      status: answer,
      differs: answer !== null && answer.configuration !== self.configuration,
    })),
  ]
}

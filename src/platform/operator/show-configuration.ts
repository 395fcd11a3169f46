import type { Configuration } from '../../contract/management/operator-system.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readProcesses } from './list-processes.ts'

/** The file is shown, not edited. */
export const showConfiguration = defineRead(
  { action: 'configuration.show', permission: 'platform:read' },
  async ({ environment }, _input: object): Promise<Configuration> => {
    const processes = await readProcesses(environment)
    return {
      fingerprint: environment.self.configuration,
      settings: environment.configuration,
      differing: processes.flatMap(({ url, differs }) => (differs && url !== null ? [url] : [])),
    }
  },
)

import { defineRead } from '../use-case/use-case.ts'
import { findKey } from './find-key.ts'
import { viewKey } from './view-key.ts'

export const showKey = defineRead(
  { action: 'key.show', permission: 'keys:read' },
  async ({ environment, database, access }, { key }: { readonly key: string }) =>
    viewKey(await findKey(database, access, key), environment.settings),
)

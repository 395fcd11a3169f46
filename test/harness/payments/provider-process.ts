import { startScriptedProvider, type ProviderOptions } from './scripted-provider.ts'

const { url } = await startScriptedProvider(JSON.parse(process.argv[2] ?? '{}') as ProviderOptions)
process.send?.({ port: Number(new URL(url).port) })
process.on('disconnect', () => process.exit(0))

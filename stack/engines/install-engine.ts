import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installOnce } from '../install.ts'
import { demoModelFolder, engineFolder, pythonOf, type LiveEngine } from './engine-command.ts'
import { projectFolder, stackFolder } from '../state.ts'
import { call, installUv } from './uv.ts'

const HERE = import.meta.dirname
const STUB = join(HERE, 'libcuda.c')

/** Packages, their cache and the engine's own files. */
const DISK_BYTES_MIN = 14e9

/** Why this machine cannot run an engine, or undefined if it can. */
export function findEngineObstacle(kind: LiveEngine): string | undefined {
  const machine = `${process.platform} ${process.arch}`
  if (machine !== 'linux x64') return `the packages are for linux x64, not for ${machine}`
  const { bavail, bsize } = statfsSync(stackFolder)
  const isRoomy = existsSync(pythonOf(kind)) || bavail * bsize >= DISK_BYTES_MIN
  return isRoomy ? undefined : 'less than 14 GB of the disk are free'
}

/** Installs an engine below `.stack/engines` with all packages pinned by hash, once. */
export async function installEngine(kind: LiveEngine, say: (line: string) => void): Promise<void> {
  const lock = join(HERE, `${kind}.txt`)
  const folder = engineFolder(kind)
  await installOnce(folder, [lock, STUB, import.meta.filename], async () => {
    say(`installing ${kind} from Python packages (3 GB to download where nothing is cached) ...`)
    const uv = await installUv()
    await call(uv, ['venv', '--quiet', '--clear', '--python', '3.11', join(folder, 'venv')])
    const exact = ['--no-deps', '--require-hashes', '--only-binary', ':all:', '-r', lock]
    await call(uv, ['pip', 'install', '--quiet', '--python', pythonOf(kind), ...exact])
    if (kind === 'vllm') nameVllm(folder)
    else await call('cc', ['-shared', '-o', join(folder, 'libcuda.so.1'), STUB])
  })
  const model = join(projectFolder, 'demo-model', 'pebble-q8_0.gguf')
  const script = join(projectFolder, 'demo-model', 'export_hf.py')
  await installOnce(demoModelFolder(), [model, script], () =>
    call(pythonOf(kind), [script, model, demoModelFolder()]),
  )
}

/** vLLM asks for the version of a package `vllm`, and "cpu" in it selects the processor. */
function nameVllm(folder: string): void {
  const packages = join(folder, 'venv', 'lib', 'python3.11', 'site-packages')
  const own = join(packages, 'vllm-0.32.0+cpu.dist-info')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'METADATA'), 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n')
}

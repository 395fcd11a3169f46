// Install, upgrade, rollback and node drain on Kubernetes break no stream and refuse no request.
// covers: deploy/** src/engines/discovery/** src/start/**
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresHome } from '../../stack/programs.ts'
import { projectFolder, stackFolder } from '../../stack/state.ts'
import { writePauseImage } from './kubernetes/write-pause-image.ts'

const CANNOT_HERE = 3
const HERE = join(projectFolder, 'test/prove/kubernetes')
const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet']
  .concat('kube-proxy', 'kubectl', 'helm', 'pause')
  .map((name) => `bin/${name}`)
const IN_ROOT = ['etcd', 'containerd', 'ctr'].map((name) => `root/usr/bin/${name}`)

/** What the proof needs and does not find. */
function findMissing(tools: string, image: string): string[] {
  const files = [...[...PROGRAMS, ...IN_ROOT].map((path) => join(tools, path)), image]
  const missing = files.filter((file) => !existsSync(file))
  return process.getuid?.() === 0 ? missing : ['the user root', ...missing]
}

async function prove(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      /** What kubernetes/build.sh makes. */
      tools: { type: 'string', default: join(stackFolder, 'kubernetes') },
      /** An archive of the image, as `podman save` writes it. */
      image: { type: 'string', default: join(stackFolder, 'headrace-image.tar') },
    },
    strict: false,
  })
  const tools = resolve(String(values['tools']))
  const image = resolve(String(values['image']))
  const [missing] = findMissing(tools, image)
  if (missing !== undefined) {
    console.log(`not possible here: ${missing} is missing; see test/prove/kubernetes/build.sh`)
    return CANNOT_HERE
  }
  const run = join(stackFolder, 'kubernetes-run')
  rmSync(run, { recursive: true, force: true })
  mkdirSync(run, { recursive: true })
  copyFileSync(image, join(run, 'headrace.tar'))
  writePauseImage(join(tools, 'bin/pause'), join(run, 'pause.tar'))
  const folders = [...new Set([projectFolder, tools, postgresHome()])].join(':')
  const inside = [process.execPath, join(HERE, 'prove-inside.ts'), '--tools', tools, '--run', run]
  const script = [join(HERE, 'enter.sh'), join(tools, 'root'), folders]
  const child = spawn('bash', [...script, ...inside], { stdio: 'inherit', detached: true })
  // A run that is cut short must not leave its cluster behind.
  process.once('exit', () => endGroup(child))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
}

process.exitCode = await prove(process.argv.slice(2))

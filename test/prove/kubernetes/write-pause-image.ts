import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the image of the sandbox container, as `docker save` would: one program, one layer. */
export function writePauseImage(program: string, path: string): void {
  const folder = mkdtempSync(`${path}-`)
  copyFileSync(program, join(folder, 'pause'))
  execFileSync('tar', ['-C', folder, '-cf', join(folder, 'layer.tar'), 'pause'])
  const layer = createHash('sha256')
    .update(readFileSync(join(folder, 'layer.tar')))
    .digest('hex')
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: ['/pause'], User: '65535:65535' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  }
  const [image] = [
    { Config: 'config.json', RepoTags: ['localhost/pause:1'], Layers: ['layer.tar'] },
  ]
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify([image]))
  const files = ['manifest.json', 'config.json', 'layer.tar']
  execFileSync('tar', ['-C', folder, '-cf', path, ...files])
  rmSync(folder, { recursive: true })
}

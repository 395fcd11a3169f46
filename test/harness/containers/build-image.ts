import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, globSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { ContainerTools } from './tools.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')

/** Builds the image again from one package; resolves to its digest. */
export type ImageBuilder = (image: string) => Promise<string>

/** Packs the package once, and makes the base image if it is missing. */
export async function prepareImage(tools: ContainerTools): Promise<ImageBuilder> {
  const { root, work } = tools
  const scripts = import.meta.dirname
  await run(join(scripts, 'make-base.sh'), [root])
  const out = join(work.outside, 'package')
  await run(process.execPath, [join(ROOT, 'package/build.ts'), '--out', out])
  const [tarball = ''] = globSync(join(out, '*.tgz'))
  cpSync(join(ROOT, 'deploy/image'), join(work.outside, 'image'), { recursive: true })
  copyFileSync(process.execPath, join(work.outside, 'node'))
  return async (image) => {
    await tools.tool([
      'env',
      `NODE=${work.inside}/node`,
      'BASE=localhost/cc',
      'BUILDAH_RUNTIME=runc',
      // The package contains its dependencies.
      'BUILD_OPTIONS=--network=none',
      `${work.inside}/image/build.sh`,
      `${work.inside}/package/${basename(tarball)}`,
      image,
    ])
    return tools.tool(['podman', 'image', 'inspect', '--format', '{{.Digest}}', image])
  }
}

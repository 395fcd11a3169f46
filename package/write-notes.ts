import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const NOTES = '.github/release-notes.sh'

export type Release = {
  readonly root: string
  readonly version: string
  /** A dry run may be of what is not released yet. */
  readonly isDryRun: boolean
}

/** Replaced by the workflow, which knows them once the image is pushed. */
const IMAGE = 'IMAGE@DIGEST'
const REPOSITORY = 'REPOSITORY_URL'

/** The changes of the version, its migrations, and how to verify the files. */
export function writeNotes({ root, version, isDryRun }: Release): string {
  const notes = `${shorten(changesOf(root, version, isDryRun))}

## Upgrade

${migrationsSince(root)}
Run \`headrace migrate\` of this release first, while the old processes run. Changes of settings are
in the list above; [the reference](docs/configuration.md) has every setting.

## Verify

The image is \`${IMAGE}\`; the chart uses it by this digest. Every file has its signature beside
it, \`FILE.sigstore.json\`.

\`\`\`sh
who=${REPOSITORY}/.github/workflows/release.yml@refs/tags/v${version}
issuer=https://token.actions.githubusercontent.com
cosign verify --certificate-oidc-issuer $issuer --certificate-identity $who ${IMAGE}
cosign verify-blob --certificate-oidc-issuer $issuer --certificate-identity $who \\
  --bundle SHA256SUMS.sigstore.json SHA256SUMS
sha256sum --check --ignore-missing SHA256SUMS    # beside the files of this release
npm audit signatures                             # in a folder that has headrace installed
\`\`\`

The tarball can be built again from the tag, with the same checksum:
\`npm ci && npm run pack -- --repository URL\` with the URL in its package.json.
`
  // A release page is not beside the files, so links to them are complete.
  return notes.replaceAll(/\]\((?!https?:)/g, `](${REPOSITORY}/blob/v${version}/`)
}

/**
 * What stands before the first heading of a section is its summary, if it has one: nobody reads a
 * release page of 80 entries.
 */
export function shorten(changes: string): string {
  const [summary = ''] = changes.split(/^### /m, 1)
  if (summary.trim() === '' || summary === changes) return changes
  return `${summary.trim()}\n\nEvery change is in [CHANGELOG.md](CHANGELOG.md).`
}

function changesOf(root: string, version: string, isDryRun: boolean): string {
  const notes = (section: string) =>
    execFileSync(join(root, NOTES), [section], { cwd: root, encoding: 'utf8' }).trim()
  try {
    return notes(version)
  } catch (error) {
    if (!isDryRun) throw error
    return notes('Unreleased')
  }
}

/** The migrations that the previous tag does not have; there is none before the first release. */
function migrationsSince(root: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n').filter(Boolean)
  const [tag] = git('tag', '--list', 'v*', '--merged', 'HEAD~1', '--sort=-version:refname')
  if (tag === undefined) return 'This is the first release, so every migration is new.\n'
  const list = (commit: string) => git('ls-tree', '--name-only', commit, 'migrations/')
  const before = new Set(list(tag))
  const added = list('HEAD').filter((path) => path.endsWith('.sql') && !before.has(path))
  if (added.length === 0) return 'There is no migration in this release.\n'
  const names = added.map((path) => `\`${path.replace('migrations/', '')}\``)
  return `Migrations: ${names.join(', ')}.\n`
}

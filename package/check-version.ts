import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const CHART = 'deploy/chart/headrace/Chart.yaml'

/** The version of the release; throws if two places disagree about it. */
export function checkVersion(root: string, tag: string | undefined): string {
  const version = versionIn(root, 'package.json')
  const others: [string, string][] = [['web/package.json', versionIn(root, 'web/package.json')]]
  if (tag !== undefined) others.push(['the tag', tag.replace(/^v/, '')])
  if (existsSync(join(root, CHART))) {
    const chart = readFileSync(join(root, CHART), 'utf8')
    for (const field of ['version', 'appVersion'])
      others.push([`${field} of the chart`, fieldIn(chart, field)])
  }
  for (const [place, other] of others)
    if (other !== version) throw new Error(`${place} is ${other}, but package.json has ${version}`)
  return version
}

function versionIn(root: string, path: string): string {
  return (JSON.parse(readFileSync(join(root, path), 'utf8')) as { version: string }).version
}

function fieldIn(yaml: string, name: string): string {
  return new RegExp(`^${name}: *['"]?([^'"\\s]+)`, 'm').exec(yaml)?.[1] ?? 'missing'
}

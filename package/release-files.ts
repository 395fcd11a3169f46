/** The files of a release, apart from checksums and signatures, by the names people download. */
export function releaseFiles(version: string): readonly string[] {
  return [
    tarballName(version),
    billName(version),
    docsName(version),
    deployName(version),
    ...['amd64', 'arm64'].map((architecture) => `headrace_${version}_${architecture}.deb`),
  ]
}

export const tarballName = (version: string) => `headrace-${version}.tgz`

/** The list of components in the form of CycloneDX. */
export const billName = (version: string) => `headrace-${version}.cdx.json`

// The next two do not end in .tgz: the release workflow makes everything else from the one file
// that does.

/** The documentation site. */
export const docsName = (version: string) => `headrace-docs-${version}.tar.gz`

/** What the guides take from `deploy/` of a clone: Compose, chart, units, alerts, image. */
export const deployName = (version: string) => `headrace-deploy-${version}.tar.gz`

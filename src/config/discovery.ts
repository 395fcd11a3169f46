// The settings of a group of engines that is found while the service runs.
import { Type } from 'typebox'
import { characters, integer, list, mapping, oneOf, text } from './schema-nodes.ts'

const HOST = 'a host name such as engines.example.internal'
const KUBERNETES_NAME = 'a name of lowercase letters, digits, . and - (at most 253)'
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

function hostName(description: string) {
  return text('[A-Za-z0-9_][A-Za-z0-9_.-]*', 253, HOST, { description })
}

function kubernetesName(description: string) {
  return text('[a-z0-9][a-z0-9.-]*', 253, KUBERNETES_NAME, { description })
}

function file(description: string, initial: string) {
  return Type.String({ ...characters(4096, description), default: initial })
}

const dnsServer = text(
  '([0-9]{1,3}(\\.[0-9]{1,3}){3}(:[0-9]{1,5})?|\\[[0-9a-fA-F:]+\\](:[0-9]{1,5})?)',
  64,
  'an IP address, with or without a port; IPv6 in brackets',
)

const Dns = mapping(
  {
    name: hostName('Name that is resolved every 5 s.'),
    port: Type.Optional(
      integer(1, 65_535, 'Port of every address. Without it, SRV records are read.'),
    ),
    servers: list(dnsServer, 'a list of IP addresses', {
      description: 'DNS servers (default: those of the machine).',
      default: [],
    }),
  },
  'Engines are the addresses of a name, or the targets of its SRV records.',
)

const File = mapping(
  { path: characters(4096, 'File, or folder whose `*.yaml` files are read.') },
  'Engines are listed in files, which are read when they change.',
)

const Kubernetes = mapping(
  {
    service: kubernetesName('Name of the service.'),
    namespace: Type.Optional(
      kubernetesName('Namespace of the service (default: that of the pod).'),
    ),
    port: Type.Optional(
      characters(63, 'Name or number of the port; needed if the service has several.'),
    ),
    server: text('https?://[^\\s/?#@]+', 2048, 'an http or https URL without a path', {
      description: 'URL of the API server.',
      default: 'https://kubernetes.default.svc',
    }),
    credentials_path: file(
      'Folder with `token`, `ca.crt` and `namespace` of the service account.',
      SERVICE_ACCOUNT,
    ),
  },
  'Engines are the ready endpoints of a service; the service account may watch EndpointSlices.',
)

export const Discover = mapping(
  {
    scheme: oneOf(['http', 'https'], 'Scheme of the URLs of discovered engines.', 'http'),
    dns: Type.Optional(Dns),
    file: Type.Optional(File),
    kubernetes: Type.Optional(Kubernetes),
  },
  'Find the engines of a group while the service runs, instead of `url`. Give one source.',
)

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chooseFreePort } from '../stack/ports.ts'
import type { Target } from './load.ts'
import { startPinned, targetCpus, waitForPort, withChildren } from './processes.ts'

const run = promisify(execFile)
const PORT_FIRST = 21_800
const PACKAGES = ['nginx', 'nginx-common']

/** Unpacks Debian's nginx below the folder. Nothing is installed on the machine. */
async function installNginx(folder: string): Promise<string> {
  const program = join(folder, 'root', 'usr', 'sbin', 'nginx')
  if (existsSync(program)) return program
  await mkdir(folder, { recursive: true })
  await run('apt-get', ['download', '-q', '-q', ...PACKAGES], { cwd: folder })
  for (const file of await readdir(folder)) {
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', file, 'root'], { cwd: folder })
  }
  return program
}

/** nginx as a proxy that passes each byte on at once and does nothing else. */
function configuration(
  folder: string,
  port: number,
  enginePort: number,
  processes: number,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `
daemon off;
worker_processes ${processes};
worker_rlimit_nofile 40000;
pid ${folder}/nginx-${port}.pid;
error_log ${folder}/error.log error;
events { worker_connections 20000; }
http {
  ${temporary.join('\n  ')}
  access_log off;
  keepalive_requests 1000000;
  upstream engine { server 127.0.0.1:${enginePort}; keepalive 10000; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://engine;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      client_max_body_size 10m;
      client_body_buffer_size 1m;
    }
  }
}
`
}

async function versionOf(program: string): Promise<string> {
  const { stderr } = await run(program, ['-v'])
  return /nginx\/([\d.]+)/.exec(stderr)?.[1] ?? ''
}

export async function startNginx(
  folder: string,
  enginePort: number,
  processes = 1,
): Promise<Target & AsyncDisposable> {
  const program = await installNginx(folder)
  const port = await chooseFreePort(PORT_FIRST)
  const file = join(folder, `nginx-${port}.conf`)
  await writeFile(file, configuration(folder, port, enginePort, processes))
  const running = startPinned(targetCpus(processes), [program, '-c', file])
  await waitForPort(port, running)
  return {
    name: 'nginx',
    version: await versionOf(program),
    port,
    path: '/v1/chat/completions',
    headers: [],
    pids: withChildren(running.pid),
    asksForCounts: false,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

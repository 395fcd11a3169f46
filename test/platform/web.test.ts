// The pages of the web app, as `headrace console` sends them.
import assert from 'node:assert/strict'
import { request, type IncomingHttpHeaders } from 'node:http'
import { after, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { startConsole, type TestConsole } from '../harness/processes/console.ts'
import { startService } from '../harness/processes/service.ts'
import { FAKE_SCRIPT, writeFakeBuild } from './web-build.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self' https://api.example.com; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; object-src 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"
const API_URL = 'https://api.example.com/compat/v1'

const build = writeFakeBuild()

const console_ = await startAt('http://localhost:8081')
const prefixed = await startAt('http://localhost:8081/llm')
after(async () => {
  await console_[Symbol.asyncDispose]()
  await prefixed[Symbol.asyncDispose]()
  build[Symbol.dispose]()
})

function startAt(publicUrl: string, folder = build.folder): Promise<TestConsole> {
  return startConsole(
    (config) => ({
      ...config,
      console: { ...config.console, public_url: publicUrl, api_url: API_URL },
    }),
    folder,
  )
}

type Got = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

/** Not fetch, which decodes bodies and normalizes paths. */
async function get(
  { root }: TestConsole,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Got> {
  const { hostname, port } = new URL(root)
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const sent = request({ hostname, port, path, method, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const body = Buffer.concat(chunks)
      const { statusCode: status = 0, headers: received } = response
      resolve({ status, headers: received, body, text: body.toString() })
    })
  })
  sent.on('error', reject).end()
  return promise
}

describe('pages', () => {
  for (const path of ['/', '/sign-in', '/o/acme/keys?state=revoked', '/o/acme.io', '/account/'])
    test(`200: ${path} is the page of the app, which is not stored`, async () => {
      const { status, headers, text } = await get(console_, path)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(text, /The app/)
      assert.match(text, /<meta name="headrace-base" content="">/)
      assert.match(
        text,
        /<meta name="headrace-api" content="https:\/\/api\.example\.com\/compat\/v1">/,
      )
    })

  test('the page has the whole policy and the other security headers', async () => {
    for (const path of ['/sign-in', FAKE_SCRIPT, '/assets/none.js']) {
      const { headers } = await get(console_, path)
      assert.equal(headers['content-security-policy'], POLICY)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.equal(headers['strict-transport-security'], 'max-age=31536000')
      assert.ok(headers['x-request-id'])
    }
  })

  test('without an address of the API the page may call the console only', async () => {
    await using alone = await startConsole((config) => config, build.folder)
    const { headers } = await get(alone, '/')
    assert.match(String(headers['content-security-policy']), /connect-src 'self';/)
  })

  test('405: a page can only be read', async () => {
    const { status, headers } = await get(console_, '/sign-in', {}, 'POST')
    assert.equal(status, 405)
    assert.equal(headers.allow, 'GET, HEAD')
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const path of ['/sign-in', FAKE_SCRIPT]) {
      const full = await get(console_, path)
      const head = await get(console_, path, {}, 'HEAD')
      assert.equal(head.headers['content-length'], full.headers['content-length'])
      assert.equal(head.status, 200)
      assert.equal(head.body.length, 0)
    }
  })
})

describe('languages', () => {
  const pageFor = (headers: Readonly<Record<string, string>>) =>
    get(console_, '/o/acme/keys', headers)

  test('the cookie of the switch comes before what the browser likes', async () => {
    const german = await pageFor({ 'accept-language': 'de-CH, en;q=0.5' })
    assert.equal(german.headers['content-language'], 'de')
    assert.match(german.text, /<html lang="de">/)
    const english = await pageFor({
      'accept-language': 'de-CH',
      cookie: 'headrace-language=en',
    })
    assert.equal(english.headers['content-language'], 'en')
    assert.notEqual(english.headers.etag, german.headers.etag)
  })

  test('English, for a language that the build does not have', async () => {
    for (const headers of [{ 'accept-language': 'fr' }, { cookie: 'headrace-language=zh-CN' }])
      assert.equal((await pageFor(headers)).headers['content-language'], 'en')
  })

  test('the page of another language has the same policy and is not kept either', async () => {
    const { headers } = await pageFor({ 'accept-language': 'de' })
    assert.equal(headers['content-security-policy'], POLICY)
    assert.equal(headers['cache-control'], 'no-store')
  })
})

describe('files', () => {
  test('a file with a hash in its name is kept for a year', async () => {
    const { status, headers } = await get(console_, FAKE_SCRIPT)
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    const icon = await get(console_, '/favicon.svg')
    assert.equal(icon.headers['cache-control'], 'no-store')
    assert.equal(icon.headers['content-type'], 'image/svg+xml')
    const font = await get(console_, '/assets/font-Aa1.woff2')
    assert.equal(font.headers['content-type'], 'font/woff2')
  })

  test('each encoding is the same file, with a tag of its own', async () => {
    for (const path of [FAKE_SCRIPT, '/sign-in']) {
      const plain = await get(console_, path)
      const br = await get(console_, path, { 'accept-encoding': 'gzip, br' })
      const gzip = await get(console_, path, { 'accept-encoding': 'gzip' })
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(br.headers['content-encoding'], 'br')
      assert.equal(gzip.headers['content-encoding'], 'gzip')
      assert.deepEqual(brotliDecompressSync(br.body), plain.body)
      assert.deepEqual(gunzipSync(gzip.body), plain.body)
      const tags = [plain, br, gzip].map(({ headers }) => headers.etag)
      assert.equal(new Set(tags).size, 3)
      const vary = path === FAKE_SCRIPT ? '' : ', accept-language, cookie'
      for (const { headers } of [plain, br, gzip])
        assert.equal(headers.vary, `accept-encoding${vary}`)
    }
  })

  test('304: a known tag, weak or not, but not that of another encoding', async () => {
    const { headers } = await get(console_, FAKE_SCRIPT)
    for (const tag of [headers.etag ?? '', `"other", W/${headers.etag}`, '*']) {
      const again = await get(console_, FAKE_SCRIPT, { 'if-none-match': tag })
      assert.equal(again.status, 304, tag)
      assert.equal(again.body.length, 0)
      assert.equal(again.headers.etag, headers.etag)
    }
    const known = { 'if-none-match': headers.etag ?? '', 'accept-encoding': 'br' }
    assert.equal((await get(console_, FAKE_SCRIPT, known)).status, 200)
  })

  for (const path of [
    '/assets/none.js',
    '/assets/',
    `${FAKE_SCRIPT}.br`,
    '/favicon.ico',
    '/.env',
    '/.vite/manifest.json',
    '/index.html',
    '/index.de.html',
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/assets/../../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '//../../etc/passwd',
    '/management/',
    '/management/v2/me',
  ])
    test(`404: ${path} is no file of the build`, async () => {
      const { status, text } = await get(console_, path)
      assert.equal(status, 404)
      assert.ok(!text.includes('dependencies') && !text.includes('root:'))
    })
})

describe('below a path prefix', () => {
  for (const path of ['/llm', '/llm/', '/llm/o/acme/keys', '/o/acme/keys', '/'])
    test(`200: ${path} is the page, whose links have the prefix`, async () => {
      const { status, text } = await get(prefixed, path)
      assert.equal(status, 200)
      assert.match(text, /<meta name="headrace-base" content="\/llm">/)
      assert.ok(text.includes(`src="/llm${FAKE_SCRIPT}"`), text)
    })

  test('files and the management API answer with and without it', async () => {
    for (const prefix of ['', '/llm']) {
      const script = await get(prefixed, `${prefix}${FAKE_SCRIPT}`)
      assert.match(script.text, /lazy/)
      const me = await get(prefixed, `${prefix}/management/v1/me`)
      assert.equal(me.status, 401)
      assert.match(me.headers['content-type'] ?? '', /json/)
      const query = await get(prefixed, `${prefix}/management/v1/sessions?sort=x`)
      assert.notEqual(query.status, 404)
    }
    assert.equal((await get(prefixed, '/llmx/favicon.ico')).status, 200)
    assert.equal((await get(prefixed, '/llm/assets/none.js')).status, 404)
  })

  test('a prefix that is a path of the app itself does no harm', async () => {
    await using odd = await startAt('http://localhost:8081/management')
    for (const path of ['/management/v1/me', '/management/management/v1/me'])
      assert.equal((await get(odd, path)).status, 401)
    assert.equal((await get(odd, '/management/sign-in')).status, 200)
    assert.equal((await get(odd, `/management${FAKE_SCRIPT}`)).status, 200)
    await using dotted = await startAt('http://localhost:8081/llm.v2')
    assert.equal((await get(dotted, '/llm.v2')).status, 200)
  })
})

test('503: without a build pages say what to do, and the management API works', async () => {
  await using bare = await startAt('http://localhost:8081', `${build.folder}/assets`)
  const { status, headers, text } = await get(bare, '/sign-in')
  assert.equal(status, 503)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(text, /npm run build/)
  assert.equal((await get(bare, '/management/v1/me')).status, 401)
})

test('the API lets pages of the console call it and read what the playground shows', async () => {
  await using service = await startService((config) => ({
    ...config,
    api: { ...config.api, cors_origins: ['https://app.example.com'] },
    console: { ...config.console, public_url: 'https://console.example.com/llm' },
  }))
  const { key } = await service.createCaller()
  const ask = (origin: string) =>
    fetch(`${service.apiRoot}/models`, { headers: { origin, authorization: `Bearer ${key}` } })
  const { headers } = await ask('https://console.example.com')
  assert.equal(headers.get('access-control-allow-origin'), 'https://console.example.com')
  const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ')
  assert.equal(exposed.filter((name) => name.startsWith('x-ratelimit-')).length, 12)
  for (const name of ['x-request-id', 'retry-after', service.config.api.retention_header])
    assert.ok(exposed.includes(name), name)
  const app = await ask('https://app.example.com')
  assert.equal(app.headers.get('access-control-allow-origin'), 'https://app.example.com')
  const other = await ask('https://elsewhere.example')
  assert.equal(other.headers.get('access-control-allow-origin'), null)
  const preflight = await fetch(`${service.apiRoot}/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://console.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization,content-type')
})

import { join } from 'node:path'
import { llamaServerCommand, type Program } from '../programs.ts'
import { projectFolder, stackFolder } from '../state.ts'

/** The kinds of engine that run here with the demo model. */
export const ENGINES = ['llama-server', 'vllm', 'sglang'] as const
export type Engine = (typeof ENGINES)[number]
/** Those that are installed only when somebody asks for them. */
export type LiveEngine = Exclude<Engine, 'llama-server'>

export type EngineOptions = {
  readonly port: number
  readonly slots: number
  /** Without one the engine answers everybody. */
  readonly apiKey?: string
  /** Default: the demo model, in the engine's own format. */
  readonly model?: string
  /** They come last, so they override those that every engine of ours gets. */
  readonly flags?: readonly string[]
}

/** The context of the demo model, for each slot. */
const CONTEXT = 4_096

export function engineFolder(kind: LiveEngine): string {
  return join(stackFolder, 'engines', kind)
}

/** The demo model as vLLM and SGLang read it. */
export function demoModelFolder(): string {
  return join(stackFolder, 'engines', 'pebble')
}

export function pythonOf(kind: LiveEngine): string {
  return join(engineFolder(kind), 'venv', 'bin', 'python')
}

/** How to start an engine with the demo model on a processor. */
export function engineCommand(kind: Engine, options: EngineOptions): Program {
  if (kind === 'vllm') return vllmCommand(options)
  return kind === 'sglang' ? sglangCommand(options) : llamaCommand(options)
}

function llamaCommand({ port, slots, apiKey, model, flags = [] }: EngineOptions): Program {
  const { command, args, env } = llamaServerCommand()
  const file = model ?? join(projectFolder, 'demo-model', 'pebble-q8_0.gguf')
  const own = ['-m', file, '--alias', 'pebble', ...listen(port)]
  const key = apiKey === undefined ? [] : ['--api-key', apiKey]
  const room = ['-np', `${slots}`, '-c', `${slots * CONTEXT}`, '--cache-ram', '0', '-t', '1']
  const http = ['--sse-ping-interval', '1', '--no-ui', '--no-prefill-assistant', '--metrics']
  const quiet = ['--temp', '0', '--log-verbosity', '1']
  return {
    command,
    args: [...args, ...own, ...key, ...room, ...http, ...quiet, ...flags],
    env,
  }
}

const OFFLINE = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  DO_NOT_TRACK: '1',
  TOKENIZERS_PARALLELISM: 'false',
  // The model is so small that a second thread costs more than it saves.
  OMP_NUM_THREADS: '1',
}

function vllmCommand({ port, slots, apiKey, model, flags = [] }: EngineOptions): Program {
  const own = ['serve', model ?? demoModelFolder(), '--served-model-name', 'pebble']
  const room = ['--max-model-len', `${CONTEXT}`, '--max-num-seqs', `${slots}`]
  const processor = ['--enforce-eager', '--dtype', 'bfloat16']
  const tools = ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes']
  const parsers = ['--reasoning-parser', 'qwen3', ...tools]
  const api = ['--enable-prompt-tokens-details', '--enable-tokenizer-info-endpoint']
  // Otherwise a generation by a schema may consist of blanks up to its limit.
  const json = [
    '--structured-outputs-config',
    '{"backend":"xgrammar","disable_any_whitespace":true}',
  ]
  return {
    command: join(engineFolder('vllm'), 'venv', 'bin', 'vllm'),
    args: [...own, ...listen(port), ...room, ...processor, ...parsers, ...api, ...json, ...flags],
    env: {
      ...process.env,
      ...OFFLINE,
      VLLM_CPU_KVCACHE_SPACE: '1',
      VLLM_CPU_OMP_THREADS_BIND: 'nobind',
      VLLM_LOGGING_LEVEL: 'WARNING',
      VLLM_NO_USAGE_STATS: '1',
      ...(apiKey === undefined ? {} : { VLLM_API_KEY: apiKey }),
    },
  }
}

function sglangCommand({ port, slots, apiKey, model, flags = [] }: EngineOptions): Program {
  const start = ['-m', 'sglang.launch_server', '--model-path', model ?? demoModelFolder()]
  const own = ['--served-model-name', 'pebble', ...listen(port)]
  const key = apiKey === undefined ? [] : ['--api-key', apiKey]
  const room = ['--context-length', `${CONTEXT}`, '--max-running-requests', `${slots}`]
  const memory = ['--mem-fraction-static', '0.4', '--max-total-tokens', `${slots * CONTEXT}`]
  const processor = ['--device', 'cpu', '--attention-backend', 'torch_native']
  // Otherwise it occupies a core while it waits.
  const simple = ['--disable-cuda-graph', '--disable-overlap-schedule', '--sleep-on-idle']
  const parsers = ['--reasoning-parser', 'qwen3', '--tool-call-parser', 'qwen']
  const json = ['--constrained-json-disable-any-whitespace']
  const api = ['--enable-cache-report', '--enable-metrics', '--log-level', 'warning']
  return {
    command: pythonOf('sglang'),
    args: [start, own, key, room, memory, processor, simple, parsers, json, api, flags].flat(),
    env: {
      ...process.env,
      ...OFFLINE,
      SGLANG_USE_CPU_ENGINE: '1',
      LD_LIBRARY_PATH: engineFolder('sglang'),
    },
  }
}

function listen(port: number): string[] {
  return ['--host', '127.0.0.1', '--port', `${port}`]
}

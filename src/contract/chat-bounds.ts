// Bounds of a chat request's parameters. Apart from the schema, so that the web app can use them
// without the code that checks schemas.

export const CHAT_BOUNDS = {
  temperature: { minimum: 0, maximum: 2 },
  top_p: { minimum: 0, maximum: 1 },
  frequency_penalty: { minimum: -2, maximum: 2 },
  presence_penalty: { minimum: -2, maximum: 2 },
} as const

export const STOP_SEQUENCES_MAX = 4
export const TOOLS_MAX = 128
/** Names become part of the engine's grammar, and long names slow it down. */
export const TOOL_NAME_LENGTH_MAX = 128
/** Many times what clients and engines make; templates render ids. */
export const CALL_ID_LENGTH_MAX = 256

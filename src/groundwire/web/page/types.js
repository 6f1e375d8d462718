/**
 * The shapes that the server sends. Read by the type checker only; no page loads this file.
 *
 * @typedef {{code: string, message: string, fields?: {field: string, value: string, reason: string}[]}} ApiFault
 *
 * @typedef {'cited' | 'read' | 'found'} Evidence
 * @typedef {object} Source
 * @property {number} number
 * @property {string} url
 * @property {string} title
 * @property {string} domain
 * @property {Evidence} evidence
 * @property {string[]} [quotes]
 * @property {[number, number][]} [spans]
 * @property {boolean} [is_marked]
 * @property {string} [published]
 * @property {string} [retrieved_at]
 *
 * @typedef {{number: number, start: number, end: number, quote?: string}} Support
 * @typedef {{numbers: number[], unknown: string[], struck: string[]}} Marker
 * @typedef {Marker & {position: number, before: string, after: string}} StreamedMarker
 * @typedef {Marker & {position: number, label: string, supports: Support[]}} KeptMarker
 * @typedef {{url: string, title: string, domain: string}} Removed
 * @typedef {{start: number, end: number, domains: string[]}} Folded
 *
 * @typedef {object} Answer
 * @property {string} text
 * @property {KeptMarker[]} markers
 * @property {Source[]} sources
 * @property {Removed[]} removed
 * @property {Folded[]} [folded]  words that rest on what was removed
 * @property {string} [suggestions]
 *
 * @typedef {{url: string, title: string, snippet: string, published: string}} Result
 * @typedef {object} ToolRun
 * @property {string} id
 * @property {string} name
 * @property {string} mode
 * @property {'running' | 'done' | 'failed' | 'waiting' | 'declined'} status
 * @property {string} query
 * @property {string} url
 * @property {string} title
 * @property {string} service
 * @property {Result[]} results
 * @property {string} error
 * @property {string | Record<string, any>} arguments
 * @property {string} started_at
 * @property {number | null} seconds
 *
 * @typedef {{input_tokens?: number | null, output_tokens?: number | null}} Usage
 * @typedef {{type: string, mime_type: string, file_name: string, id?: string}} AttachmentInfo
 *
 * @typedef {object} Message
 * @property {string} id
 * @property {string} session_id
 * @property {'USER' | 'AI_RESPONSE'} kind
 * @property {string} content
 * @property {string | null} parent_id
 * @property {string | null} client_id
 * @property {'complete' | 'streaming' | 'awaiting_approval' | 'interrupted' | 'cancelled' | 'failed'} status
 * @property {AttachmentInfo[]} attachments
 * @property {string} thinking
 * @property {Answer | null} answer
 * @property {ToolRun[]} tool_runs
 * @property {string} provider
 * @property {string} model
 * @property {string} mode
 * @property {string} reason  why this mode
 * @property {Usage | null} usage
 * @property {number | null} cost_usd
 * @property {boolean} cost_is_partial
 * @property {number} pages_read
 * @property {string} stop_reason
 * @property {string} error_code
 * @property {string} error
 * @property {string} created_at
 * @property {string} updated_at
 *
 * @typedef {{id: string, title: string, agent_id: string, created_at: string, updated_at: string, is_running: boolean}} Session
 * @typedef {{id: string, name: string, description: string, web_search_enabled: boolean, thinking: string}} Agent
 * @typedef {{id: string, name: string, type: string, default_model: string, has_key: boolean}} Provider
 * @typedef {{model: string, title: string, shutdown_date: string, searches_itself: boolean, thinking?: string[]}} Model
 * @typedef {{name: string, title: string, description: string, writes: boolean}} Tool
 * @typedef {{user: {id: string, name: string, is_owner: boolean} | null, needs_login: boolean, needs_setup: boolean, workspaces: {id: string, name: string, role: string}[], version: string}} Me
 *
 * @typedef {object} Question  the body of a message to an agent
 * @property {string} text
 * @property {string | null} session_id
 * @property {string | null} parent_id
 * @property {string} client_id
 * @property {string} search
 * @property {string[]} [domains]  left out of a retry, which keeps those of the answer
 * @property {{type: string, mime_type: string, base64_data: string, file_name: string}[]} attachments
 * @property {string | null} provider_id
 * @property {string | null} model
 * @property {string | null} thinking
 * @property {string | null} retry_of
 *
 * @typedef {{type: string, id: number, data: any}} TurnEvent
 */

export {};

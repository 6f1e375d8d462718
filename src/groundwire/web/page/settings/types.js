/**
 * The shapes that settings are made of. Read by the type checker only; no page loads this file.
 *
 * @typedef {import('../types.js').Me} Me
 * @typedef {import('../types.js').Model} Model
 * @typedef {{id: string, name: string, role: string}} OwnWorkspace
 *
 * @typedef {object} Context  where a section is shown, and to whom
 * @property {Me} me
 * @property {OwnWorkspace | null} workspace
 * @property {boolean} isOwner  all workspaces, users and providers are theirs
 * @property {boolean} mayChange  what the section shows; others only look
 * @property {(title: string, back: [href: string, label: string]) => void} head  name what is shown in place of the section, with the way back to it
 * @property {string} part  what comes after the # in the address: one agent, one provider, `new`
 *
 * @typedef {{id: string, name: string, type: string, base_url: string | null, default_model: string, is_default: boolean, has_key: boolean, key_place: string}} Provider
 * @typedef {{type: string, title: string, description: string, base_url: string, key_variable: string | null, needs_key: boolean, key_url: string, abilities: string[], default_model: string}} ProviderType
 * @typedef {{success: boolean, message: string, code: string, model_count: number}} TestResult
 *
 * @typedef {object} AgentValues
 * @property {string} name
 * @property {string} description
 * @property {string} system_prompt
 * @property {string | null} preferred_provider_id
 * @property {string | null} preferred_model_id
 * @property {number | null} temperature
 * @property {boolean} web_search_enabled
 * @property {string} thinking
 * @typedef {AgentValues & {id: string, workspace_id: string, is_built_in: boolean}} Agent
 *
 * @typedef {object} Workspace
 * @property {string} id
 * @property {string} name
 * @property {boolean} web_search_enabled
 * @property {boolean} web_fetch_enabled
 * @property {string[]} web_allowed_domains
 * @property {string} web_instructions
 *
 * @typedef {{name: string, title: string, abilities: string[], needs_key: boolean, has_key: boolean, key_variable: string | null}} Service
 * @typedef {{search_provider: string[], read_provider: string[], available: Service[]}} Web
 *
 * @typedef {{turns: number, input_tokens: number, output_tokens: number, searches: number, pages_read: number, cost_usd: number | null, cost_is_partial: boolean}} Amounts
 * @typedef {Amounts & {date: string, provider: string, model: string}} UsageLine
 *
 * @typedef {{id: string, name: string, is_owner: boolean}} User
 * @typedef {{user_id: string, name: string, role: string}} Member
 * @typedef {{id: string, workspace_id: string, name: string, role: string, created_at: string, last_used_at: string | null, expires_at: string}} Token
 * @typedef {{id: string, at: string, actor: string, action: string, subject: string, workspace_id: string | null, before: any, after: any}} AuditEntry
 */

export {};

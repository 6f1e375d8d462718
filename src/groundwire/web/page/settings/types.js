/**
 * The shapes that settings are made of. Read by the type checker only; no page loads this file.
 *
 * @typedef {object} Context  where a section is shown, and to whom
 * @property {import('../types.js').Me} me
 * @property {import('../types.js').Membership | null} workspace
 * @property {boolean} isOwner  all workspaces, users and providers are theirs
 * @property {boolean} mayChange  what the section shows; others only look
 * @property {(title: string, back: [href: string, label: string]) => void} head  name what is shown in place of the section, with the way back to it
 * @property {() => Promise<void>} renew  ask anew which workspaces there are
 * @property {string} part  what comes after the # in the address: one agent, one provider, `new`
 *
 * @typedef {Pick<import('../types.js').Agent, 'name' | 'description' | 'system_prompt' | 'preferred_provider_id' | 'preferred_model_id' | 'temperature' | 'web_search_enabled' | 'thinking'>} AgentValues  what an agent's form holds
 */

export {};
